#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Signed actions (21 CFR 11): who signs, with which password, what the signature says, and
# that a failed action leaves none.
use strict;
use warnings;

use IPC::Open2 qw(open2);
use LIMS::Test::Tool;

my $tool     = LIMS::Test::Tool->new;
my @ana      = $tool->laboratory('cedar', '--approval-steps', 'Review,Final');
my @password = ('--password-file', $tool->secret($tool->password));
my $signatures = 'SELECT count(*) FROM lims.electronic_signature';

sub policy {
    my ($on) = @_;
    return $tool->made(@ana, qw(organization update --reason strict --esignature-required), $on);
}

# The signature of the last act.
sub signature {
    return $tool->db->selectrow_hashref(q{
        SELECT s.*, length(content_hash) AS hashed FROM lims.electronic_signature s
         ORDER BY id DESC LIMIT 1});
}

$tool->made(@ana, qw(material-type create --code DW --name Water));
$tool->made(@ana, qw(test-definition create --code PH --name pH --result-type numeric --unit pH
    --specification-low 6.5 --specification-high 8.5));
$tool->made(@ana, qw(sample create --client-name x --material-type-id 1 --test-definition-ids 1))
    for 1 .. 7;
$tool->made(@ana, qw(sample-test enter), $_, qw(--result 7.1)) for 1 .. 3;

# Where the policy does not ask, a signature is made when a password is given.

is($tool->made(@ana, qw(sample-test verify 1))->{status}, 'verified', 'without a policy');
is($tool->value($signatures), 0, 'without a password nothing is signed');
is($tool->made(@ana, @password, qw(sample-test verify 2))->{status}, 'verified',
    'with a password the test is verified');
is($tool->value($signatures), 1, 'the signature is recorded');

# Where it asks, nothing goes without.

policy('true');
my $unsigned = $tool->run(@ana, qw(--json sample-test verify 3));
is($unsigned->{exit}, 1, 'refused without a password');
is($unsigned->{json}{error}, 'esignature_required', 'the refusal has the slug esignature_required');
my $wrong = $tool->run(@ana, qw(--json sample-test verify 3 --password-file),
    $tool->secret('incorrect horse'));
is($wrong->{exit}, 1, 'refused with a wrong password');
like($wrong->{json}{message}, qr/nothing was signed/, 'the message says that nothing was signed');
$tool->made(@ana, qw(user create --email bo@cedar.example --display-name Bo --roles analyst));
my $bare = $tool->run(qw(--json sample-test verify 3 --organization cedar --user bo@cedar.example),
    @password);
is($bare->{exit}, 1, 'refused for somebody without a password');
like($bare->{json}{message}, qr/user set-password/,
    'the message for a user without a password names the command that sets one');
is($tool->value(q{SELECT status FROM lims.sample_test WHERE id = 3}), 'entered',
    'the refused verification changed nothing');

my $verified = $tool->made(@ana, @password, qw(sample-test verify 3 --reason), 'second look');
is($verified->{status}, 'verified', 'signed and verified');
my $signature = signature();
is($signature->{printed_name}, 'Ana Ruiz',    'the signature has the printed name');
is($signature->{meaning},      'verified',    'the signature has its meaning');
is($signature->{reason},       'second look', 'the signature has its reason');
is($signature->{table_name},   'sample_test', 'the signature names the table');
is($signature->{record_id},    3,             'the signature names the record');
is($signature->{hashed},       32,            'the signature has the hash of the record');
my $entry = $tool->db->selectrow_hashref(q{
    SELECT * FROM lims.audit_entry
     WHERE table_name = 'sample_test' AND record_id = 3
     ORDER BY id DESC LIMIT 1});
is($entry->{signature_id}, $signature->{id}, 'the audit trail names the signature');
is($entry->{reason},       'second look',    'the audit entry has the reason');
is($entry->{user_id}, $verified->{verifiedBy}, 'the audit entry has the user');

# An act that is refused leaves no signature behind.

my $before = $tool->value($signatures);
is($tool->run(@ana, @password, qw(--json sample-test verify 4))->{json}{error}, 'blank_result',
    'a gate refuses what is signed');
is($tool->run(@ana, @password, qw(sample-test verify 99))->{exit}, 3, 'an unknown test');
is($tool->value($signatures), $before, 'a failed action leaves no signature');

# The meaning of a decision is the decision.

$tool->made(@ana, qw(sample status), $_, qw(--status completed)) for 1, 2;
my @approvals = map { $_->{id} } @{ $tool->made(@ana, qw(approval list 1))->{data} };
is($tool->run(@ana, qw(approval decide), $approvals[0], qw(--status approved))->{exit}, 1,
    'an approval is signed');
$tool->made(@ana, @password, qw(approval decide), $approvals[0], qw(--status approved));
is(signature()->{meaning}, 'approved', 'the meaning of an approval\'s signature');
$tool->made(@ana, @password, qw(approval decide), $approvals[1], qw(--status rejected --comment),
    'wrong method');
is(signature()->{meaning},   'rejected',    'the meaning of a rejection\'s signature');
is(signature()->{record_id}, $approvals[1], 'the signature names the record');

# One act over many shows each of them.

$tool->made(@ana, qw(sample-test enter), $_, '--result', "9.$_") for 6, 7;
my @many = (@ana, @password, qw(sample-test verify-many --items),
    '[{"sampleTestId":7},{"sampleTestId":6}]');
my $many = $tool->run(@many);
is($many->{exit}, 0, 'two results are verified by one act');
like($many->{err}, qr/signs:\nmeaning: verified\n.*sample test 7 .* 9\.7 .*yes.*\n.*sample test 6 .* 9\.6 /s,
    'both are shown, in the order asked, with value and flag');
is($tool->value(q{SELECT count(*) FROM lims.electronic_signature WHERE record_id IN (6, 7)
    AND meaning = 'verified'}), 2, 'each has its signature');
is($tool->run('--json', @many)->{err}, '', 'a program that has the password is shown nothing');

# At a terminal the password is asked for, and not echoed.

# Answers as a person does, who waits for the question; $meanwhile (or undef) is done before.
sub at_terminal {
    my ($answer, $meanwhile, @arguments) = @_;
    local $ENV{LIMS_DATABASE} = LIMS::Instance::conninfo($tool->{database}, 'lims_owner');
    my $line = join ' ', map { "'$_'" } LIMS::Instance::out() . '/limsctl', @arguments;
    my $pid  = open2(my $out, my $in, 'script', '-qec', $line, '/dev/null');
    my ($said, $asked) = ('', 0);
    while (sysread $out, my $some, 65536) {
        $said .= $some;
        next if $asked || !($asked = $said =~ /Password of .*: /);
        $meanwhile->() if $meanwhile;
        syswrite $in, "$answer\n";
    }
    close $in;
    waitpid $pid, 0;
    return ($? >> 8, $said);
}

SKIP: {
    skip 'script(1) is not here', 17 if system 'command -v script >/dev/null';
    $tool->made(@ana, qw(sample-test enter 4 --result 7));
    my ($exit, $said) = at_terminal('not this one', undef, @ana, qw(sample-test verify 4));
    is($exit, 1, 'a wrong answer');
    ($exit, $said) = at_terminal($tool->password, undef, @ana, qw(--json sample-test verify 4));
    is($exit, 0, 'the right one');
    like($said, qr/Password of ana\@cedar\.example: /, 'the password is asked for');
    like($said, qr/"status":"verified"/, 'the answer shows the verified test');
    unlike($said, qr/\Q@{[ $tool->password ]}\E/, 'the answer is not shown');
    my ($shown) = split /Password of/, $said;
    for my $line ('meaning: +verified', 'name: +pH', 'record: +sample test 4',
        'trackingId: +LAB-26-', 'result: +7', 'unit: +pH', 'specification: +6\.5 to 8\.5 pH',
        'outOfSpecification: +no', 'enteredBy: +1') {
        like($shown, qr/^$line/m, "what is signed is shown before the question: $line");
    }

    # The signed content is the content that was shown.
    my $count = $tool->value($signatures);
    $tool->made(@ana, qw(sample-test enter 5 --result 7));
    ($exit, $said) = at_terminal($tool->password, sub {
        $tool->made(@ana, qw(sample-test enter 5 --result 9));
    }, @ana, qw(--json sample-test verify 5));
    is($exit, 1, 'a result that changed while it was shown is not signed');
    like($said, qr/precondition_failed/, 'the refusal asks to read the changed result again');
    is($tool->value($signatures), $count, 'nothing is signed');
}

# No password is kept or told anywhere.

is($tool->value(q{SELECT count(*) FROM lims.audit_entry WHERE changes::text LIKE '%battery%'}), 0,
    'the audit trail has none');
unlike($wrong->{out} . $wrong->{err}, qr/incorrect horse/, 'no message shows the password');

done_testing();
