#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The outbox: each action writes its event once, in its transaction, with the payload of the
# contract (members, types and order); what changes nothing writes none.
use strict;
use warnings;

use LIMS::Test::SQL;

my $base = LIMS::Test::SQL->new;
my $lab  = $base->laboratory(code => 'cedar');
my $app  = $base->app($lab);
my $last = 0;

sub act { my ($sql, @bind) = @_; return $app->do($sql, undef, @bind) }

# Returns the events emitted since the last call: 'type {"member":value,...}'.
sub emitted {
    my $rows = $base->db->selectall_arrayref(
        'SELECT id, type, data::text FROM lims.event WHERE organization_id = ? AND id > ?
          ORDER BY id', undef, $lab->{id}, $last);
    $last = $rows->[-1][0] if @$rows;
    return [ map { "$_->[1] " . $_->[2] =~ s/" : /":/gr =~ s/, "/,"/gr } @$rows ];
}

# The same, from the contract's members in their order.
sub told {
    my ($type, @members) = @_;
    my @text;
    while (my ($name, $value) = splice @members, 0, 2) {
        push @text, $value =~ /\A\d+\z/ ? qq("$name":$value) : qq("$name":"$value");
    }
    return "$type {" . join(',', @text) . '}';
}

my $sample = $base->sample($lab, qw(PH EC));
my $tracking = $base->value('SELECT tracking_id FROM lims.sample WHERE id = ?', $sample->{id});
my @name = (sampleId => $sample->{id}, trackingId => $tracking);
is_deeply(emitted(), [ told('sample.created', @name, sampleIdentifier => $tracking,
            clientName => 'City of Riverbend', status => 'pending') ],
                'registering emits sample.created');

my $status = 'UPDATE lims.sample SET status = ? WHERE organization_id = ? AND id = ?';
my @it     = ($lab->{id}, $sample->{id});
act($status, 'received', @it);
is_deeply(emitted(), [ told('sample.received', @name, status => 'received') ],
    'receiving emits sample.received');
act($status, 'received', @it);
act($status, 'processing', @it);
is_deeply(emitted(), [], 'setting the same status, or processing, writes no event');

my $result = 'UPDATE lims.sample_test SET result = ? WHERE organization_id = ? AND id = ?';
sub entered {
    my ($code) = @_;
    return told('result.entered', sampleTestId => $sample->{$code},
        testDefinitionId => $lab->{definition}{$code});
}
act($result, '7.2', $lab->{id}, $sample->{PH});
is_deeply(emitted(), [ entered('PH') ], 'entering emits result.entered');
act($result, '7.2', $lab->{id}, $sample->{PH});
act('UPDATE lims.sample_test SET notes = ? WHERE organization_id = ? AND id = ?', 'x', $lab->{id},
    $sample->{PH});
is_deeply(emitted(), [], 'the same value or a note writes no event');
act('UPDATE lims.sample_test SET qualifier = ? WHERE organization_id = ?
    AND id = ?', 'J', $lab->{id}, $sample->{PH});
is_deeply(emitted(), [ entered('PH') ], 'a changed qualifier writes result.entered');
act($result, ' ', $lab->{id}, $sample->{PH});
is_deeply(emitted(), [], 'a blank result writes no event');

act($result, '9.1', $lab->{id}, $sample->{PH});
my ($number, $id) = $base->db->selectrow_array('SELECT investigation_number, id
    FROM lims.investigation');
like($number, qr/\AOOS-\d\d-\d{7}\z/, 'out of specification opens an investigation');
is_deeply(emitted(), [ entered('PH'),
        told('investigation.opened', investigationId => $id, investigationNumber => $number,
            title => "PH 9.1 s.u. outside 6.5 to 8.5 s.u., sample $tracking", kind => 'oos',
            sampleId => $sample->{id}) ], 'investigation.opened is emitted');
act($result, '9.2', $lab->{id}, $sample->{PH});
is_deeply(emitted(), [ entered('PH') ], 'no second one while it is open');
$app->begin_work;
$app->do(q{SELECT set_config('lims.signature_id', ?, true)}, undef,
    signed($app, $lab, 'closed', 'investigation', $id));
act(q{UPDATE lims.investigation SET status = 'cancelled', conclusion = 'buffer was old'
    WHERE organization_id = ?}, $lab->{id});
$app->commit;
act($result, '7.1', $lab->{id}, $sample->{PH});
act($result, '9.3', $lab->{id}, $sample->{PH});
is_deeply([ map { /^(\S+)/ } @{ emitted() } ], [ ('result.entered') x 2, 'investigation.opened' ],
    'after it is closed, another investigation is opened');
act($result, '7.1', $lab->{id}, $sample->{PH});
act($result, 'Present', $lab->{id}, $sample->{EC});
emitted();
is($base->value('SELECT count(*) FROM lims.investigation'), 2,
    'a text outside its limits opens no investigation');

my $batch = $app->selectrow_array(q{INSERT INTO lims.qc_batch (organization_id, batch_number)
    VALUES (?, 'QCB-0102') RETURNING id}, undef, $lab->{id});
act(q{INSERT INTO lims.qc_control (organization_id, qc_batch_id, control_type, criterion,
    measured_value, upper_limit)
      VALUES (?, ?, 'MB', 'maximum', 1, 0.5)}, $lab->{id}, $batch);
$app->do('SELECT lims.evaluate_qc_batch(?, ?)', undef, $lab->{id}, $batch);
is_deeply(emitted(), [ told('qc.failed', qcBatchId => $batch, batchNumber => 'QCB-0102',
            qcStatus => 'failed') ], 'a failed control emits qc.failed');
$app->do('SELECT lims.evaluate_qc_batch(?, ?)', undef, $lab->{id}, $batch);
is_deeply(emitted(), [], 'a batch that fails again writes no event');

act(q{UPDATE lims.sample_test SET confirmation_status = 'refuted' WHERE organization_id = ?
    AND id = ?}, $lab->{id}, $sample->{EC});
act(q{UPDATE lims.sample_test SET status = 'verified' WHERE organization_id = ?
    AND sample_id = ?}, @it);
is_deeply(emitted(),
    [ map { told('result.verified', sampleTestId => $_, sampleId => $sample->{id}) }
            sort { $a <=> $b } @$sample{qw(PH EC)} ],
                'verifying emits result.verified, for each test');
act($status, 'reported', @it);
is_deeply(emitted(), [ told('sample.reported', sampleId => $sample->{id}, status => 'reported',
            trackingId => $tracking) ], 'reporting emits sample.reported');
act($status, 'reported', @it);
is_deeply(emitted(), [], 'reporting again writes no event');

my @many = map { $base->sample($lab, 'PH') } 1 .. 2;
act($result, '7', $lab->{id}, $_->{PH}) for @many;
act(q{UPDATE lims.sample_test SET status = 'verified' WHERE organization_id = ?
    AND sample_id = ANY (?)}, $lab->{id}, [ map { $_->{id} } @many ]);
emitted();
act(q{UPDATE lims.sample SET status = 'reported' WHERE organization_id = ? AND id = ANY (?)},
    $lab->{id}, [ map { $_->{id} } @many ]);
is_deeply(emitted(),
    [ map { told('sample.reported', sampleId => $_->{id}, status => 'reported') } @many ],
    'several at once: without the tracking identifier');

act(q{INSERT INTO lims.certificate (organization_id, sample_id, certificate_number, version,
    content, sha256)
      VALUES (?, ?, '', 0, '{}', '')}, @it);
is_deeply(emitted(), [ told('coa.generated', @name, sampleIdentifier => $tracking) ],
    'issuing emits coa.generated');

# In the transaction: what is rolled back was never told of.
$app->begin_work;
$base->sample($lab);
$app->rollback;
is_deeply(emitted(), [], 'a rolled back action writes no event');
is($base->value(q{SELECT count(*) FROM lims.event
    WHERE created_at <> date_trunc('milliseconds', created_at)}), 0,
    'times have milliseconds, as the API shows them');

done_testing();
