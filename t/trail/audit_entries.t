#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The auditor's question: who changed this value, when and why; of a record, and of a
# period of at most 31 days.
use strict;
use warnings;

use MIME::Base64 qw(decode_base64);

use LIMS::Service::CommandLine;
use LIMS::Service::JSONSchema;
use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;

my $lims    = LIMS::Test->new;
my $lab     = LIMS::Service::Laboratory->new($lims);
my $auditor = LIMS::Service::CommandLine->new($lims, 'Ada Park', roles => ['auditor']);
my $analyst = LIMS::Service::CommandLine->new($lims, 'Ben Walsh', roles => ['analyst']);
my ($test)  = $lab->tests($lab->sample(testDefinitionIds => [ $lab->definition ]));

sub trail {
    return @{ $auditor->done('audit list', @_)->{data} };
}

sub changed {
    my ($entry, $field) = @_;
    my ($change) = grep { $_->{field} eq $field } @{ $entry->{changes} };
    return $change && [ @$change{qw(old new)} ];
}

$lims->patch("/sample-tests/$test", { result => '2.4' });
$analyst->done('sample-test enter', $test, result => '1.9', reason => 'second weighing');

subtest 'who changed this value, when, why (a laboratory\'s day, 1.17)' => sub {
    my @of_test = trail(table => 'sample_test', recordId => $test);
    is(scalar @of_test, 3, 'made, entered and changed');
    my ($by_person, $by_key, $made) = @of_test;
    is_deeply(changed($by_person, 'result'), [ '"2.4"', '"1.9"' ], 'old and new value, newest first');
    is_deeply([ @$by_person{qw(person reason surface apiKeyId)} ],
        [ 'Ben Walsh', 'second weighing', 'command line', undef ], 'the person, and why');
    is_deeply(changed($by_key, 'result'), [ 'null', '"2.4"' ], 'what the key entered');
    is($by_key->{surface}, 'api', 'through the API');
    ok($by_key->{apiKeyId} && $by_key->{apiKey} && $by_key->{requestId}, 'by which key and request');
    is($made->{action}, 'insert', 'the record says when the test was made');
    is($made->{record}, $lims->db->selectrow_array(q{SELECT d.code || ' of ' || s.tracking_id
        FROM lims.sample_test t JOIN lims.test_definition d ON d.id = t.test_definition_id
        JOIN lims.sample s ON s.id = t.sample_id WHERE t.id = ?}, undef, $test),
        'the record by its name, and its sample\'s');
    is_deeply([ map { $_->{id} } trail(table => 'sample_test', recordId => $test,
                cursor => $by_person->{id}) ], [ $by_key->{id}, $made->{id} ], 'page by page');
};

subtest 'of a period' => sub {
    my ($entry) = trail(table => 'sample_test', recordId => $test);
    is_deeply([ map { $_->{id} } trail(requestId => $entry->{requestId}) ], [ $entry->{id} ],
        'by the request');
    is_deeply([ map { $_->{id} } trail(userId => $entry->{userId}, table => 'sample_test') ],
        [ $entry->{id} ], 'by person and table');
    is_deeply([ trail(to => '2020-01-31') ], [], 'nothing of another time');
    my @all = map { $_->{id} } trail(limit => 500);
    my ($cursor, @paged) = (0);
    while (1) {
        my $page = $auditor->done('audit list', limit => 7, cursor => $cursor);
        push @paged, map { $_->{id} } @{ $page->{data} };
        $cursor = $page->{nextCursor};
        last if !$page->{hasMore};
    }
    cmp_ok(scalar @all, '>', 20, 'a page has what many transactions did');
    is_deeply(\@paged, \@all, 'the pages have each entry once, in order of time');
    is_deeply($auditor->done('audit list', cursor => $cursor)->{data}, [], 'nothing comes before the first');
    $auditor->refused('invalid_query', 'audit list', from => '2026-01-01',
        to => '2026-03-01');
    $auditor->refused('invalid_query', 'audit list', recordId => $test);
    $analyst->refused('permission_required', 'audit list', table => 'sample_test',
        recordId => $test);
};

subtest 'exported' => sub {
    my %record = (table => 'sample_test', recordId => $test);
    my $export = sub { return decode_base64($auditor->done('audit export', %record, @_)->{contentBase64}) };
    my ($head, @lines) = split /\r\n/, $export->();
    like($head, qr/\Aid,occurredAt,table,recordId,record,action,field,old,new,person,/, 'CSV with a header');
    ok((grep { /"result","""2.4""","""1.9""","Ben Walsh","",.*"second weighing"/ } @lines),
        'a line for each changed field');
    $lims->patch("/sample-tests/$test", { result => '1.8', reason => '=HYPERLINK("x")' });
    like($export->(), qr/"'=HYPERLINK\(""x""\)"/, 'a formula is a text to a spreadsheet');
    my @entries = map { LIMS::Service::JSONSchema::decode($_) } split /\n/, $export->(format => 'json');
    ok((pop @entries)->{signature}, 'the last line of JSON is a signature');
    is_deeply([ map { $_->{id} } @entries ], [ reverse map { $_->{id} } trail(%record) ],
        'lines of JSON are the same entries, oldest first');
    $auditor->refused('invalid_query', 'audit export', from => '2026-01-01', to => '2026-03-01');
};

subtest 'signed' => sub {
    my $export = sub { return decode_base64($auditor->done('audit export', table => 'sample_test', recordId => $test, @_)->{contentBase64}) };
    my $verify = sub { return $auditor->call('audit verify-export', file => $_[0])->{json} };
    my %file   = map { $_ => $export->(format => $_) } qw(csv json);
    my $none   = $export->(requestId => 'nobody');
    for my $format (sort keys %file) {
        my $whole = $file{$format};
        is_deeply($verify->($whole), { sound => JSON::PP::true(), keyId => $verify->($whole)->{keyId} },
            "a file is as it was exported: $format");
        my $changed = $whole =~ s/Ben Walsh/Bea Walsh/r;
        isnt($changed, $whole, "a name is changed: $format");
        like($verify->($changed)->{message}, qr/it was changed after it was signed/, "a changed name is found: $format");
        like($verify->($whole =~ s/\A.*?\n.*?\n//r)->{message}, qr/it was changed/, "a removed line is found: $format");
        like($verify->($whole =~ s/[^\n]*\n\z//r)->{message}, qr/its last line is no signature/, "a cut end is found: $format");
        my ($line) = $whole =~ /\n([^\n]*"result"[^\n]*)\n/;
        like($verify->($whole =~ s/\r?\n\z/\r$line\r\n/r)->{message}, qr/stands behind its signature/,
            "a line that is put behind the signature is found: $format");
    }
    like($verify->($file{csv} =~ s/\r\n\z/,"more"\r\n/r)->{message}, qr/its last line is no signature/,
        'a cell beside the signature is found');
    ok($verify->($none)->{sound}, 'a file without entries is signed, too');
    my $heads = decode_base64($auditor->done('audit export-heads')->{contentBase64});
    like($verify->($heads)->{message}, qr/no export of this organization/, 'a signed file of heads is another kind of file');
    my $other = $lims->organization(code => 'beside');
    my $bea   = LIMS::Service::Person->new($lims, roles => ['auditor'], organization => $other);
    my $told  = $bea->post('/audit-entries/verify-export', { file => $file{csv} });
    is($told->status, 400, 'a file of another organization is refused') or diag($told->body);
    like($told->json->{message}, qr/no export of this organization/, 'the refusal says of whose trail it is not');
    $analyst->refused('permission_required', 'audit verify-export', file => $file{csv});
};

subtest 'no secrets' => sub {
    my $secret = grep { $_->{table} eq 'user_account'
            && (changed($_, 'password_hash') || [])->[1] eq '"(secret)"' } trail(limit => 500);
    ok($secret, 'that a password was set, and not which');
};

subtest 'nothing of others' => sub {
    my $theirs = LIMS::Service::Laboratory->new($lims,
        $lims->organization(code => 'other-laboratory'));
    my ($their_test) = $theirs->tests($theirs->sample(testDefinitionIds => [ $theirs->definition ]));
    is_deeply([ trail(table => 'sample_test', recordId => $their_test) ], [],
        'another laboratory\'s record has no trail here');
};

done_testing();
