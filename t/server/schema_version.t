#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# httpd does not start on a schema that the module was not made for, older or
# newer, and says what to do; one that changes under a running httpd is answered
# with 503 until it fits again, and a restart does not end that httpd.
use LIMS::Test;

my $lims = LIMS::Test->new;
my ($version) = $lims->db->selectrow_array('SELECT max(version) FROM lims.schema_migration');
cmp_ok($version, '>', 0, 'the schema has a version');

sub older {
    $lims->db->do('UPDATE lims.schema_migration SET version = -version WHERE version = ?',
        undef, $version);
    return;
}

sub newer {
    my ($compatible_since) = @_;
    $lims->db->do(q{INSERT INTO lims.schema_migration (version, name, checksum, compatible_since)
                    VALUES (?, 'future', 'none', ?)}, undef, $version + 1, $compatible_since);
    return;
}

sub restore {
    $lims->db->do('DELETE FROM lims.schema_migration WHERE version > ?', undef, $version);
    $lims->db->do('UPDATE lims.schema_migration SET version = -version WHERE version < 0');
    return;
}

my $next   = $version + 1;
my %misfit = (
    'older' => [ \&older,
        qr/schema version -?\d+, this mod_lims needs $version: run "limsctl migrate"/ ],
    'newer' => [ sub { newer($version + 1) },
        qr/schema\ version\ $next,\ which\ needs\ a\ mod_lims\ made\ for\ version\ $next\ or\ later,
           \ this\ one\ is\ made\ for\ $version:\ install\ the\ newer\ mod_lims/x ],
);

for my $name (sort keys %misfit) {
    my ($spoil, $words) = @{ $misfit{$name} };
    subtest "a start on a schema that is $name" => sub {
        $lims->stop;
        $spoil->();
        ok(!eval { $lims->start; 1 }, 'httpd does not start');
        like($lims->log, qr/LIMS0112: .*$words/, 'and says what to do');
        $lims->expect_log(qr/LIMS0112: |AH00020: Configuration Failed/);
        is($lims->pid, undef, 'nothing of it is left running');
        restore();
        ok(eval { $lims->start; 1 }, 'once that is done, it starts') or diag($@);
        is($lims->get('/whoami')->status, 200, '... and answers');
    };
}

subtest 'a newer schema that older modules can use' => sub {
    $lims->stop;
    newer($version);
    ok(eval { $lims->start; 1 }, 'httpd starts') or diag($@);
    is($lims->get('/whoami')->status, 200, 'and answers');
    restore();
};

subtest 'a schema that changes under a running httpd' => sub {
    my ($pid, @former) = ($lims->pid, $lims->children);
    newer($version + 1);
    ok($lims->graceful, 'a graceful restart does not end httpd');
    # Until they end they may take a request, and know the schema as it was.
    wait_until { !grep { LIMS::Instance::lives($_) } @former };
    is($lims->pid, $pid, '... it is the same');
    my $answer = $lims->get('/whoami', connection => 'new');
    is($answer->status . ' ' . $answer->json->{error}, '503 service_unavailable',
        'it refuses to work on it');
    like($answer->header('Retry-After'), qr/\A\d+\z/, '... and says when to come again');
    $lims->expect_log(qr/LIMS0039: 503 .*install the newer mod_lims/);
    restore();
    is($lims->get('/whoami')->status, 200, 'once it fits, without another restart, it works');
    is($lims->pid, $pid, '... as the same httpd');
};

done_testing();
