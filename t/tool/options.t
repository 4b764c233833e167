#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The command line itself: how options are read, what each exit status means, and that
# --json prints JSON whatever happens.
use strict;
use warnings;

use LIMS::Test::Tool;
no warnings 'qw';    # commas separate the elements of an option

my $tool = LIMS::Test::Tool->new;
my @ana  = $tool->laboratory('cedar');

# Exit status 2: the command line is wrong, and the database is not asked.

my @wrong = (
    [ 'no command',          qr/Which command/,                 [] ],
    [ 'an unknown command',  qr/no command "sample frob"/,      [qw(sample frob)] ],
    [ 'a noun alone',        qr/there are: .*sample create/,    [qw(sample)] ],
    [ 'a command of that noun that is no route', qr/there are: instrument-file reevaluate-all, /,
        [qw(instrument-file frob)] ],
    [ 'an unknown option',   qr/--frob is not an option of/,    [qw(sample list --frob 1)] ],
    [ 'an option twice',     qr/--limit is given more than/,    [qw(sample list --limit 1 --limit 2)] ],
    [ 'a global one twice',  qr/--reason is given more than/,   [qw(--reason a sample list --reason b)] ],
    [ 'no value',            qr/--limit needs a value/,         [qw(sample list --limit)] ],
    [ 'a wrong type',        qr/limit must be an integer/,      [qw(sample list --limit many)] ],
    [ 'no such choice',      qr/status must be one of/,         [qw(sample list --status lost)] ],
    [ 'a missing field',     qr/code is missing/,               [@ana, qw(client create --name x)] ],
    [ 'no id',               qr/Which client\?/,                [@ana, qw(client show)] ],
    [ 'an invalid id',  qr/"0" is not an id/,              [@ana, qw(client show 0)] ],
    [ 'two ids',             qr/"2" is one argument more than/, [@ana, qw(client show 1 2)] ],
    [ 'nothing to change',   qr/No option is given that changes/, [@ana, qw(client update 1)] ],
    [ 'not UTF-8',           qr/not UTF-8/, [@ana, qw(client create --code x --name), "\xff"] ],
    [ 'a read-only field',   qr/--created-at is not an option/, [@ana, qw(client create --created-at x)] ],
    [ 'a missing file',      qr/No such file/, [qw(user create --password-file /nowhere/secret)] ],
    [ 'no organization',     qr/No organization is named/,      [qw(client list)] ],
    [ 'nobody who acts',     qr/needs an acting user/,
        [qw(client create --organization cedar --code x --name x)] ],
    [ 'an acting user of no organization', qr/for all organizations/,
        [@ana, qw(organization create --code x --name x)] ],
);
for my $case (@wrong) {
    my ($name, $words, $arguments) = @$case;
    my $done = $tool->run(@$arguments);
    is($done->{exit}, 2, "$name: exit status 2");
    like($done->{err}, $words, "$name: words");
    is($done->{out}, '', "$name: nothing on standard output");
}
is($tool->value('SELECT count(*) FROM lims.client'), 0, 'wrong command lines change nothing');

my $help = $tool->run(qw(profile --help));
is($help->{exit}, 0, 'help about a noun');
like($help->{out}, qr/^  profile add +Add a profile/m, 'the help lists the commands of the noun');
unlike($help->{out}, qr/^  sample /m, 'the help lists no other commands');
like($tool->run(qw(instrument-file -h))->{out}, qr/^  instrument-file reevaluate-all /m,
    'the help lists commands that are no routes');
is($tool->run(qw(frob --help))->{exit}, 2, 'about none there is none');

my $json = $tool->run(qw(--json sample list --frob 1));
is($json->{exit}, 2, 'with --json the exit status is the same');
is($json->{json}{error}, 'invalid_query', 'the error is JSON');
is($json->{err}, '', 'with --json nothing goes to standard error');

# The ways to give a value.

my $client = $tool->made(@ana, qw(client create --code=RIV --name), 'City of Riverbend',
    '--contact-name=', '--phone', '', '--active=false');
is($client->{name}, 'City of Riverbend', 'a value in the next argument');
is($client->{code}, 'RIV', 'a value behind =');
is($client->{contactName}, undef, 'an empty value is null where null is a value');
ok(!$client->{active}, 'a boolean behind =');
ok($tool->made(@ana, qw(client update 1 --active))->{active}, 'a switch alone is true');
ok(!$tool->made(@ana, qw(client update --active false --id 1))->{active}, 'or says what it is');
is($tool->made(@ana, qw(client update 1 --phone), '--555')->{phone}, '--555',
    'a value may begin like an option');
is($tool->made(qw(client show), @ana, 1)->{id}, 1, 'options of every command may stand anywhere');
is($tool->made(@ana, qw(client update 1 --name), "\x{c4}\x{a7}")->{phone}, '--555',
    'an option that is not given keeps its field');

$tool->made(@ana, qw(material-type create --code DW --name Water));
$tool->made(@ana, qw(test-definition create --name PH --code), $_) for qw(A B C);
my @create = (@ana, qw(sample create --client-name x --material-type-id 1));
my $sample = $tool->made(@create, qw(--test-definition-ids 1,3));
is_deeply([ map { $_->{testDefinitionId} } @{ $sample->{tests} } ], [ 1, 3 ],
    'a list is separated by commas');
is($tool->run(@create, qw(--test-definition-ids 1,1))->{exit}, 2, 'its rules hold');
is($tool->run(@create, qw(--test-definition-ids 99))->{exit}, 1,
    'exit status 1: a reference that is none');

my @enter = (@ana, qw(sample-test bulk-enter --updates));
my $file  = $tool->secret('[{"sampleTestId": 1, "result": "7.10"}]');
is($tool->made(@enter, "\@$file")->{updated}[0]{result}, '7.10', 'objects from a file');
is($tool->made(@enter, '[{"sampleTestId": 2, "result": "8"}]')->{updated}[0]{result}, '8',
    'or as an argument');
is($tool->run(@enter, '[{"sampleTestId": 2, "resultat": "8"}]')->{exit}, 2,
    'an argument is judged as the standard input is');

# Exit statuses 1, 3 and 4.

my $gate = $tool->run(@ana, qw(--json sample report 1));
is($gate->{exit}, 1, 'exit status 1: a gate');
is($gate->{json}{error}, 'incomplete_sample', 'JSON: its slug');
is_deeply([ map { $_->{slug} } @{ $gate->{json}{blockers} } ], ['incomplete_sample'],
    'JSON: what blocks');
like($tool->run(@ana, qw(sample report 1))->{err}, qr/blockers:\n.*incomplete_sample/s,
    'the text output lists the blockers');

my $none = $tool->run(@ana, qw(--json client show 77));
is($none->{exit}, 3, 'exit status 3: no such record');
is($none->{json}{error}, 'not_found', '--json says not_found');
is($tool->run(qw(client list --organization elsewhere))->{exit}, 3,
    'an unknown organization exits with 3');
is($tool->run(qw(client list --organization cedar --user nobody@cedar.example))->{exit}, 3,
    'an unknown user exits with 3');
is($tool->run(@ana, qw(client list --database), 'host=/nowhere')->{exit}, 4,
    'exit status 4: no database');
is($tool->run(@ana, qw(--json client list --database), 'host=/nowhere')->{json}{error},
    'service_unavailable', '--json says service_unavailable');
open my $full, '>', '/dev/full' or die "/dev/full: $!\n";
my $pid = fork // die "fork: $!\n";
if (!$pid) {
    open STDOUT, '>&', $full or POSIX::_exit(99);
    open STDERR, '>', '/dev/null' or POSIX::_exit(99);
    exec LIMS::Instance::out() . '/limsctl', 'openapi' or POSIX::_exit(99);
}
waitpid $pid, 0;
is($? >> 8, 4, 'an answer that cannot be written is a failure');

# For people.

my $list = $tool->run(@ana, qw(client list))->{out};
like($list, qr/\Aid +code +name .*\n1 +RIV /, 'a list is a table');
unlike($list, qr/ \n/, 'without spaces at the end of lines');
like($tool->run(@ana, qw(client list --code NONE))->{out}, qr/\A\(none\)\n\z/, 'an empty one');
like($tool->run(@ana, qw(client show 1))->{out}, qr/^phone: +--555\n/m, 'a record is lines');
like($tool->run(@ana, qw(test-definition list --limit 2))->{out}, qr/^\(more: --cursor 2\)$/m,
    'the text output names the next cursor');
$tool->db->do('UPDATE lims.client SET address = ? WHERE id = 1', undef,
    "1 Main St\n\e[2JRiverbend");
like($tool->run(@ana, qw(client show 1))->{out}, qr/^address: +1 Main St  \[2JRiverbend$/m,
    'control characters of a text are not printed');

unlike($tool->run("\e[2Jsample")->{err}, qr/\e/,
    'control characters of an argument are not printed');

done_testing();
