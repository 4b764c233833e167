#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# limsctl demo: it loads everything or nothing and never writes over the file with the
# keys; and the laboratories whose plan has no access, or no samples left, are refused.
use strict;
use warnings;

use File::Temp qw(tempdir);
use LIMS::Service::Demo;
use LIMS::Service::Laboratory qw(refused);
use LIMS::Test;
use LIMS::Test::Source;
use POSIX qw(strftime);

my $demo = LIMS::Service::Demo->new;
my $lims = $demo->lims;
my $db   = $lims->db;
my $dir  = tempdir(CLEANUP => 1);

sub count { return scalar $db->selectrow_array("SELECT count(*) FROM $_[0]") }

# limsctl against a database of the same schema, but without the data.
sub elsewhere {
    my ($name, $action) = @_;
    LIMS::Instance::create_database($name);
    my $handle = LIMS::Instance::connect_database($name, 'lims_owner');
    my $limsctl = sub {
        my ($status, $output) = LIMS::Instance::capture(LIMS::Instance::out() . '/limsctl',
            '--database', LIMS::Instance::conninfo($name, 'lims_owner'), @_);
        return { exit => $status, output => $output };
    };
    my $ok    = eval { $action->($limsctl, $handle); 1 };
    my $error = $@;
    $handle->disconnect;
    LIMS::Instance::drop_database($name);
    die $error unless $ok;
    return;
}

subtest 'loading again changes nothing' => sub {
    my @tables = qw(lims.organization lims.api_key lims.sample lims.event lims.audit_entry);
    my @before = map { count($_) } @tables;
    my $again  = $lims->ctl('demo', '--keys-to', "$dir/again");

    is($again->{exit}, 0, 'loading again succeeds');
    is_deeply($again->{json}, { loaded => $again->{json}{loaded} },
        'the answer says that all is loaded');
    ok(!$again->{json}{loaded}, 'loading again has loaded nothing');
    ok(!-e "$dir/again", 'no keys are made');
    is_deeply([ map { count($_) } @tables ], \@before, 'no row is written');
};

subtest 'the file with the keys' => sub {
    elsewhere('lims_test_demo_keys', sub {
        my ($limsctl, $handle) = @_;
        my $samples = sub { return scalar $handle->selectrow_array('SELECT count(*) FROM lims.sample') };
        my $keys    = "$dir/keys";

        open my $out, '>', $keys or die "$keys: $!\n";
        print {$out} "mine\n";
        close $out;
        my $refused = $limsctl->('demo', '--keys-to', $keys);
        is($refused->{exit}, 2, 'a file that is there is refused');
        like($refused->{output}, qr/\Q$keys\E: File exists/, 'the message names the file');
        is(-s $keys, 5, 'a file that is there is left as it is');
        is($samples->(), 0, 'with a file that is there nothing is loaded');
        is($limsctl->('demo', '--keys-to', "$dir/none/keys")->{exit}, 2,
            'a missing folder is refused');
        is($samples->(), 0, 'with a missing folder nothing is loaded');

        unlink $keys;
        my $started = time;
        my $loaded  = $limsctl->('demo', '--keys-to', $keys);
        is($loaded->{exit}, 0, 'a new one is written') or diag($loaded->{output});
        cmp_ok(time - $started, '<', 60 * LIMS::Instance::slowness(),
            'loading takes less than a minute, on a machine that does something else too');
        is((stat $keys)[2] & 0777, 0600, 'the file of keys is readable for its owner only');
        open my $in, '<', $keys or die "$keys: $!\n";
        my @lines = <$in>;
        my @wrong = grep { !/\ALIMS_(?:(?:API|UPLOAD)_KEY(?:_[BCD])?='lk_\w{46}'|DEMO_PASSWORD='\w{20}')\n\z/ }
            @lines;
        is_deeply(\@wrong, [], 'each line of the file is an assignment');
        is(scalar @lines, 6, 'the file has five keys and a password');
        cmp_ok($samples->(), '>=', 60, 'the samples are loaded');
        unlike($loaded->{output}, qr/lk_/, 'no key is printed');
    });
};

subtest 'a load that fails leaves nothing' => sub {
    elsewhere('lims_test_demo_undone', sub {
        my ($limsctl, $handle) = @_;

        # Makes the last file fail, that of the amended certificate.
        $handle->do('ALTER TABLE lims.certificate ADD CHECK (version < 2)');
        isnt($limsctl->('demo', '--keys-to', "$dir/undone")->{exit}, 0, 'the load fails');
        ok(!-e "$dir/undone", 'no file with keys stays');
        is(scalar $handle->selectrow_array('SELECT count(*) FROM lims.organization'), 0,
            'no organization stays');

        $handle->do('ALTER FUNCTION lims.create_qc_template RENAME TO make_qc_template');
        my ($before) = text('sql/demo/003_harborview_samples.sql') =~ /\A(.*?)lims\.create_qc_template/s;
        my $line     = 1 + ($before =~ tr/\n//);
        like($limsctl->('demo', '--keys-to', "$dir/undone")->{output},
            qr/003_harborview_samples\.sql, line $line, failed and was undone: function/,
            'where PostgreSQL says where, the line is named');
    });
};

subtest 'every row has its organization\'s author' => sub {
    is(count('lims.audit_entry WHERE request_id IS NULL'), 0,
        'every audit entry names its request');
    is(count(q{lims.audit_entry WHERE user_id IS NULL AND table_name NOT IN
        ('organization', 'user_account', 'user_role', 'role_permission', 'approval_step',
            'api_key', 'label_size')}), 0,
        'and, once there are people, who did it');
    is(count(q{lims.sample_test t JOIN lims.organization o ON o.id = t.organization_id
        WHERE t.status = 'verified' AND o.esignature_required
        AND t.verification_signature_id IS NULL}), 0, 'what has to be signed is signed');
    is(count(q{lims.electronic_signature s WHERE s.meaning = 'override'}), 1,
        'the override of QCB-0103 too');
};

subtest '18: a plan without access, and one that is used up' => sub {
    my $tiny = $demo->laboratory('tiny-lab');
    my $said = refused($tiny->get('/whoami'), 401, 'unauthorized', 'Tiny Lab has no access');
    $lims->expect_log(qr/API key refused/);
    refused($tiny->get('/samples'), 401, 'unauthorized', 'Tiny Lab has access to no route');

    my $starter = $demo->laboratory('starter-water');
    my $create  = sub {
        return $starter->post('/samples',
            { clientName => 'Private wells, walk-in', materialTypeId => $starter->material('GW') });
    };
    my ($used) = $db->selectrow_array(q{SELECT count(*) FROM lims.sample
        WHERE organization_id = ? AND created_at >= date_trunc('month', now())}, undef,
        $starter->id);
    my ($this_month) = $db->selectrow_array(q{SELECT created_at >= date_trunc('month', now())
        FROM lims.organization WHERE id = ?}, undef, $starter->id);
    is($used, 25, 'Starter Water Lab has used its 25') if $this_month;
    # Where the month has changed since the load, the new one is used up first.
    is($create->()->status, 201, 'a sample within the allowance') for $used + 1 .. 25;
    my $answer = $create->();
    is($answer->status, 403, 'the 26th is refused');
    is($answer->json->{code}, 'SAMPLE_LIMIT_EXCEEDED', 'the refusal has the code of the plan');
    ok(!exists $answer->json->{error}, 'the refusal of the plan has no error slug');
    is($starter->get('/samples?limit=1')->status, 200, 'reading goes on');
};

done_testing();
