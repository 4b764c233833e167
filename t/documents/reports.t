#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Lists, the worklist, control charts and the turnaround as PDF: what stands in the rows stands
# on the paper, with the laboratory, the filters, who made it when, and the number of pages.
use strict;
use warnings;

use File::Temp qw(tempdir);

use LIMS::Print;
use LIMS::Test;
use MIME::Base64 qw(decode_base64);

my $lims = LIMS::Test->new(demo => 1);
local $ENV{LIMS_PRINTER} = LIMS::Print::printer_path();
my ($code, $email) = @{ $lims->db->selectrow_arrayref(q{SELECT o.code, min(u.email)
    FROM lims.organization o
    JOIN lims.user_account u ON u.organization_id = o.id AND u.active
    JOIN lims.user_role r ON r.organization_id = o.id AND r.user_id = u.id AND r.role = 'lab_manager'
    WHERE o.name LIKE 'Cedar Basin%' GROUP BY 1}) };
our @here = ('--organization', $code, '--user', $email);
my $name = $lims->value('SELECT display_name FROM lims.user_account WHERE email = ?', $email);

# Returns the text of a document that a command makes.
sub printed {
    my (@command) = @_;
    my $answer = $lims->ctl(@here, @command);
    die "@command: $answer->{output}" unless $answer->{json} && $answer->{json}{contentBase64};
    return LIMS::Print::words(decode_base64($answer->{json}{contentBase64}));
}

sub flat { return $_[0] =~ s/\s+//gr }

subtest 'a list' => sub {
    my $rows = $lims->ctl(@here, qw(certificate list))->{json}{data};
    my $text = printed(qw(certificate list-pdf));
    cmp_ok(scalar @$rows, '>', 2, 'there are certificates');
    is(join(' ', grep { index(flat($text), flat($_->{certificateNumber})) < 0 } @$rows), '',
        'each stands on the paper');
    like($text, qr/Cedar Basin/, 'with the laboratory');
    like($text, qr/Made \d{4}-\d\d-\d\d \d\d:\d\d \(\w+\/\w+\) by \Q$name\E/, 'when and by whom it was made');
    like($text, qr/Page 1 of \d/, 'the pages are numbered');
    my $one = printed(qw(certificate list-pdf --status superseded));
    like($one, qr/Status: superseded/, 'filters are said in words');
    is(join(' ', grep { $_->{status} ne 'superseded'
            && $one =~ /\Q$_->{certificateNumber}\E/
            && !grep { $_->{status} eq 'superseded' } @$rows } @$rows), '',
                'filters leave out the rest');
};

subtest 'names instead of ids' => sub {
    $lims->db->do(q{INSERT INTO lims.sample_order (organization_id, order_number, client_id)
        SELECT o.id, 'ONE', (SELECT min(c.id) FROM lims.client c WHERE c.organization_id = o.id)
          FROM lims.organization o WHERE o.code = ?}, undef, $code);
    my $order = $lims->ctl(@here, qw(order list))->{json}{data}[0];
    my $client = $lims->value('SELECT name FROM lims.client WHERE id = ?', $order->{clientId});
    my $text = printed(qw(order pdf));
    ok(index(flat($text), flat($client)) >= 0, 'a client has a name');
    $text = printed(qw(order pdf --client-id), $order->{clientId});
    ok(index(flat($text), flat("Client: $client")) >= 0, 'also in a filter');
};

subtest 'every list' => sub {
    for my $command ('sample list-pdf', 'sample-test list-pdf', 'worklist-pdf', 'approval pdf',
        'qc-batch pdf', 'worksheet pdf', 'confirmation pdf', 'investigation pdf', 'reagent-lot pdf',
        'media-lot pdf', 'qc-template pdf', 'worksheet-template pdf', 'instrument-file pdf')
    {
        like(printed(split / /, $command), qr/Page 1 of \d/, "$command prints");
    }
    my $rows = $lims->ctl(@here, qw(worklist))->{json}{data};
    my $text = flat(printed('worklist-pdf'));
    is(join(' ', grep { index($text, flat($_->{trackingId})) < 0 } @$rows), '',
        'the worklist has every sample of its rows');
    $lims->db->do(q{INSERT INTO lims.qc_template (organization_id, method, name)
        SELECT id, 'EPA 300.0', 'Anions' FROM lims.organization WHERE code = ?}, undef, $code);
    for my $of ([ 'reagent-lot', 'code' ], [ 'media-lot', 'code' ], [ 'qc-template', 'name' ],
        [ 'worksheet-template', 'name' ], [ 'instrument-file', 'fileName' ])
    {
        my ($noun, $member) = @$of;
        $rows = $lims->ctl(@here, $noun, 'list')->{json}{data};
        $text = flat(printed($noun, 'pdf'));
        cmp_ok(scalar @$rows, '>', 0, "there are records: $noun");
        is(join(' ', map { $_->{$member} } grep { index($text, flat($_->{$member})) < 0 } @$rows), '',
            "every record stands on the paper: $noun");
    }
};

subtest 'lists of the administration' => sub {
    my $id = $lims->value('SELECT id FROM lims.organization WHERE code = ?', $code);
    my ($admin) = $lims->db->selectrow_array(q{SELECT u.email FROM lims.user_account u
        JOIN lims.user_role r ON r.organization_id = u.organization_id AND r.user_id = u.id
        WHERE u.organization_id = ? AND u.active AND r.role = 'administrator' LIMIT 1}, undef, $id);
    local @here = ('--organization', $code, '--user', $admin);
    my $users = $lims->ctl(@here, qw(user list))->{json}{data};
    my $text  = printed(qw(user pdf));
    is(join(' ', grep { index(flat($text), flat($_)) < 0 } map { @$_{qw(displayName email)} } @$users), '',
        'every user stands on the paper');
    my $key = $lims->ctl(@here, qw(key create --name Printed --scopes samples:read))->{json};
    $text = printed(qw(key pdf));
    like($text, qr/Printed.*samples:read/s, 'an API key stands on the paper');
    unlike(flat($text), qr/\Q$key->{rawKey}\E/, 'the key itself does not');
    my $folder = tempdir(CLEANUP => 1);
    local $ENV{LIMS_SECRET_KEY_FILE} = "$folder/secret.key";
    $lims->ctl('secret-key');
    my $hook = $lims->ctl(@here, qw(webhook create --name ERP --url https://erp.example/hook --events sample.reported))->{json};
    $text = printed(qw(webhook pdf));
    like(flat($text), qr{ERP.*erp\.example/hook.*sample\.reported}s, 'a webhook endpoint stands on the paper');
    unlike(flat($text), qr/\Q$hook->{secret}\E/, 'its secret does not');
    my ($reader) = $lims->db->selectrow_array(q{SELECT u.email FROM lims.user_account u
        JOIN lims.user_role r ON r.organization_id = u.organization_id AND r.user_id = u.id
        WHERE u.organization_id = ? AND u.active GROUP BY 1 HAVING bool_and(r.role = 'analyst') LIMIT 1}, undef, $id);
    for my $noun (qw(user key webhook)) {
        like($lims->ctl('--organization', $code, '--user', $reader, $noun, 'pdf')->{output}, qr/permission_required|permission/,
            "an analyst prints no list: $noun");
    }
};

subtest 'a control chart' => sub {
    my ($series) = $lims->db->selectrow_array(q{SELECT s.id FROM lims.qc_series s
        JOIN lims.organization o ON o.id = s.organization_id AND o.code = ?
        ORDER BY (SELECT count(*) FROM lims.qc_points(o.id, s.id)) DESC LIMIT 1}, undef, $code);
    my $shown = $lims->ctl(@here, qw(qc-series show), $series)->{json};
    my $text  = printed(qw(qc-series pdf), $series);
    like($text, qr/Control chart/, 'it has a title');
    is(join(' ', grep { $text !~ /\Q$_->{batchNumber}\E/ } @{ $shown->{points} }), '',
        'each point stands in its table');
    like($text, qr/4-1s/, 'with the rules that are broken');
    like($text, qr/mean \d/, 'the chart has its baseline');
};

subtest 'more rows than paper holds' => sub {
    my $id = $lims->value('SELECT id FROM lims.organization WHERE code = ?', $code);
    $lims->db->do(q{INSERT INTO lims.sample_order (organization_id, order_number, client_id)
        SELECT $1, 'MANY-' || n, (SELECT min(id) FROM lims.client WHERE organization_id = $1)
          FROM generate_series(1, 2001) n}, undef, $id);
    my $answer = $lims->ctl(@here, qw(order pdf));
    isnt($answer->{exit}, 0, 'is refused');
    like($answer->{output}, qr/more than 2,000 rows/, 'with what to do instead');
    ok($lims->ctl(@here, qw(order export))->{exit} == 0, 'the CSV file has them');
};

done_testing();
