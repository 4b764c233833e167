#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Orders, panels and receipt, for whoever writes to the database: an order's samples are of
# its client, a panel's definitions are in use, and a receipt is undone on its day, with a
# reason and without results.
use strict;
use warnings;

use LIMS::Test::SQL;

my $base  = LIMS::Test::SQL->new;
my $lab   = $base->laboratory(code => 'cedar', time_zone => 'America/Denver');
my $other = $base->laboratory(code => 'tiny');
my $app   = $base->app($lab);

sub reason { return $app->do(q{SELECT set_config('lims.reason', ?, false)}, undef, @_) }

my ($order, $number) = $app->selectrow_array('INSERT INTO lims.sample_order (organization_id,'
        . ' client_id) VALUES (?, ?) RETURNING id, order_number', undef, @$lab{qw(id client)});
my $second = $base->insert('client', { organization_id => $lab->{id}, code => 'SEC', name => 'Second' });

subtest 'orders' => sub {
    like($number, qr/\AORD-\d\d-\d{7}-[0-9A-Z]\z/, 'a number is made');
    ok($base->value('SELECT lims.tracking_id_is_valid(?)', $number),
        'the number of an order ends with its check character');
    refused($app, 'INSERT INTO lims.sample_order (organization_id, client_id, order_number)'
            . ' VALUES (?, ?, ?)', [ @$lab{qw(id client)}, 'ORD-26-0000999-X' ], 'invalid_body',
        'a number of the form that is made');
    refused($app, 'INSERT INTO lims.sample_order (organization_id, client_id) VALUES (?, ?)',
        [ $lab->{id}, $other->{client} ], 'invalid_reference', "another laboratory's client");
    refused($app, "UPDATE lims.sample_order SET $_->[0] = ? WHERE id = ?", [ $_->[1], $order ],
        'field_not_patchable', $_->[0])
        for [ order_number => 'X' ], [ client_id => $second ], [ panel_ids => '{1}' ];
};

subtest 'samples of an order' => sub {
    my $insert = 'INSERT INTO lims.sample (organization_id, order_id, material_type_id, client_name)'
        . ' VALUES (?, ?, ?, ?) RETURNING id';
    refused($app, $insert, [ $lab->{id}, $order, $lab->{material}, 'Second' ], 'invalid_body',
        "another client's sample");
    my ($id) = $app->selectrow_array($insert, undef, $lab->{id}, $order, $lab->{material},
        'city of RIVERBEND');
    ok($id, 'one of its client');
    refused($app, 'UPDATE lims.sample SET client_name = ? WHERE id = ?', [ 'Second', $id ],
        'invalid_body', 'its client does not change');
    refused($app, 'UPDATE lims.sample SET order_id = NULL WHERE id = ?', [$id],
        'field_not_patchable', 'its order does not change');
    my $alone = $base->sample($lab);
    refused($app, 'UPDATE lims.sample SET order_id = ? WHERE id = ?', [ $order, $alone->{id} ],
        'field_not_patchable', 'a sample does not join an order later');
};

subtest 'panels' => sub {
    my $insert = 'INSERT INTO lims.panel (organization_id, code, name, test_definition_ids)'
        . q{ VALUES (?, 'P', 'P', ?)};
    refused($app, $insert, [ $lab->{id}, "{$other->{definition}{PH}}" ], 'invalid_reference',
        "another laboratory's definition");
    refused($app, $insert, [ $lab->{id}, "{$lab->{definition}{PH},$lab->{definition}{PH}}" ],
        'invalid_body', 'a definition twice');
    ok($app->do($insert, undef, $lab->{id}, "{$lab->{definition}{PH}}"), 'one of its own');
};

subtest 'receipt' => sub {
    my $sample  = $base->sample($lab, 'PH');
    my $receive = q{UPDATE lims.sample SET status = 'received' WHERE id = ?};
    my $undo    = q{UPDATE lims.sample SET status = 'pending', received_at = NULL WHERE id = ?};
    my @of      = ($sample->{id});

    refused($app, 'UPDATE lims.sample SET receipt_condition = ? WHERE id = ?', [ 'warm', @of ],
        'invalid_transition', 'findings without a receipt');
    $app->do($receive, undef, @of);
    is($base->value('SELECT received_by FROM lims.sample WHERE id = ?', @of), $lab->{user_id},
        'who received it');
    ok($app->do('UPDATE lims.sample SET receipt_condition = ? WHERE id = ?', undef, 'warm', @of),
        'findings after it');
    refused($app, 'UPDATE lims.sample SET received_by = NULL WHERE id = ?', [@of],
        'invalid_transition', 'clearing the user who received it');
    refused($app, q{UPDATE lims.sample SET received_at = NULL WHERE id = ?}, [@of],
        'invalid_transition', 'received, but at no time');
    refused($app, $undo, [@of], 'invalid_body', 'undone without a reason');
    reason('wrong cooler');
    ok($app->do($undo, undef, @of), 'the receipt is undone');
    $app->do($receive, undef, @of);
    $app->do(q{UPDATE lims.sample_test SET result = '7' WHERE id = ?}, undef, $sample->{PH});
    refused($app, $undo, [@of], 'invalid_transition', 'not with a result');

    my $old = $base->sample($lab);
    $app->do($receive, undef, $old->{id});
    my $db = $base->superuser;
    $db->do('ALTER TABLE lims.sample DISABLE TRIGGER USER');
    $db->do(q{UPDATE lims.sample SET received_at = now() - interval '25 hours' WHERE id = ?}, undef, $old->{id});
    $db->do('ALTER TABLE lims.sample ENABLE TRIGGER USER');
    refused($app, $undo, [ $old->{id} ], 'invalid_transition', 'not of an earlier day');
    reason('');
};

done_testing();
