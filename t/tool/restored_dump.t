#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A dump restored into a cluster whose transaction numbers are lower: until limsctl migrate
# has rebased the events, every write is refused and says why; afterwards no reader of the
# feed misses an event.
use strict;
use warnings;

use HTTP::Tiny;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $tool = LIMS::Instance::out() . '/limsctl';
my $name = $lims->{database};
my $material = $lab->material;
my $cursor   = 0;

# The ids of the samples whose events come after the cursor.
sub come {
    my ($count) = @_;
    my @came;
    wait_until {
        my $page = $lims->get("/events?cursor=$cursor&limit=100")->json;
        $cursor = $page->{nextCursor} // $cursor;
        push @came, map { $_->{data}{sampleId} } @{ $page->{data} };
        @came >= $count;
    };
    return @came;
}

sub registered {
    return $lims->post('/samples', { clientName => 'A', materialTypeId => $material });
}

my @read = map { registered()->json->{id} } 1 .. 3;
is_deeply([ come(3) ], \@read, 'a reader has read three events');
$lims->db->do('DO $$ BEGIN FOR i IN 1..30000 LOOP
    PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$');
my $unread = registered()->json->{id};

# --- The copy ------------------------------------------------------------------

my $folder = "$LIMS::Instance::root/build/test/restored";
my $copy;

END { LIMS::Instance::run("$LIMS::Instance::root/build/instance", 'remove', $folder) if $copy }

sub target { return "host='$copy' dbname=$name user=$_[0]" }

sub limsctl {
    my ($status, $output) = LIMS::Instance::capture($tool, '--database', target('lims_owner'),
        '--json', @_);
    return ($status, eval { LIMS::Service::JSONSchema::decode($output) } || {}, $output);
}

sub at_copy {
    my ($role, $database) = @_;
    return DBI->connect("dbi:Pg:host=$copy;dbname=" . ($database || $name), $role, undef,
        { RaiseError => 1, PrintError => 0, PrintWarn => 0 });
}

subtest 'a dump is restored elsewhere' => sub {
    my $dump = "$lims->{instance}{dir}/dump";
    LIMS::Instance::run('pg_dump', '-Fc', '-f', $dump,
        '-d', LIMS::Instance::conninfo($name, 'postgres'));
    LIMS::Instance::run("$LIMS::Instance::root/build/instance", 'cluster', $folder);
    my $home = LIMS::Instance::home($folder);
    $copy = -s "$home/socket" ? LIMS::Instance::_slurp("$home/socket") =~ s/\s+\z//r : "$home/pg";
    my $admin = at_copy('postgres', 'postgres');
    $admin->do("CREATE DATABASE $name");
    at_copy('postgres')->do(LIMS::Instance::_slurp("$LIMS::Instance::root/sql/roles.sql"));
    LIMS::Instance::run('pg_restore', '--no-password', '-d', target('postgres'), $dump);
    my ($last) = at_copy('postgres')->selectrow_array('SELECT max(position) FROM lims.event');
    cmp_ok(at_copy('postgres')->selectrow_array('SELECT pg_current_xact_id()::text::bigint'), '<',
        $last, 'its transactions have lower numbers');
    $lims->stop;
    open my $out, '>>', "$lims->{instance}{dir}/extra.conf" or die "extra.conf: $!\n";
    print {$out} qq(Define LIMS_DATABASE "host='$copy' dbname=$name"\n);
    close $out;
    $lims->start;
};

my $words = qr/events come from another cluster.*: run "limsctl migrate"/;

sub ready {
    return HTTP::Tiny->new(SSL_options => { SSL_ca_file => LIMS::Instance::ca_file() })
        ->get($lims->url . '/lims/ready');
}

subtest 'before limsctl migrate' => sub {
    $lims->expect_log(qr/:crit\] .*LIMS0112: host localhost:\d+, database \Q$name\E\@\S+: .*$words/);
    for my $try ([ POST => '/samples', { clientName => 'B', materialTypeId => $material } ],
        [ PATCH => "/samples/$read[0]", { notes => 'early' } ],
        [ POST => '/clients', { code => 'EARLY', name => 'Early' } ])
    {
        my $answer = $lims->request($try->[0], $try->[1], body => $try->[2]);
        is($answer->status . ' ' . $answer->json->{error}, '503 service_unavailable',
            "$try->[0] $try->[1] is refused");
        like($answer->header('Retry-After'), qr/\A\d+\z/, 'the refusal has Retry-After');
    }
    $lims->expect_log(qr/LIMS0364: 503 .*$words/);
    like(ready()->{status} . ' ' . ready()->{content}, qr/\A503 .*$words/,
        'the service is not ready');
    my ($exit, $found, $output) = limsctl('check');
    is($exit, 1, 'limsctl check fails') or diag($output);
    is_deeply([ map { $_->{subject} } grep { $_->{state} eq 'failed' } @{ $found->{findings} } ],
        ['events'], 'the failed check is that of the events');
    isnt((limsctl('scan'))[0], 0, 'limsctl scan is refused');

    my $app = at_copy('lims_app');
    $app->do(q{SELECT lims.set_context(?, ?, NULL, 'r', NULL, NULL), set_config(
        'lims.organization_id', ?, false), set_config('lims.user_id', ?, false)}, undef,
        @{ $lims->fixture }{qw(id user_id id user_id)});
    my $register = 'INSERT INTO lims.sample (organization_id, material_type_id, client_name)
        VALUES (?, ?, ?)';
    for my $who ([ 'the role of the service', $app ], [ 'the owner', at_copy('lims_owner') ],
        [ 'a superuser', at_copy('postgres') ])
    {
        my $done = eval { $who->[1]->do($register, undef, $lims->fixture->{id}, $material,
            'C'); 1 };
        is($done ? 'done' : $who->[1]->state, 'LM503', "$who->[0] is refused by the database");
    }
    is(at_copy('postgres')->selectrow_array('SELECT count(*) FROM lims.sample'), 4,
        'no refused write wrote anything');
};

subtest 'after limsctl migrate' => sub {
    is((limsctl('migrate'))[0], 0, 'limsctl migrate succeeds');
    is((limsctl('check'))[0], 0, 'limsctl check has nothing against it');
    is(ready()->{status}, 200, 'the service is ready without a restart');
    my @made = map { registered()->json->{id} } 1 .. 3;
    is_deeply([ come(4) ], [ $unread, @made ], 'the reader goes on, and misses nothing');
};

done_testing();
