#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Refused API keys: missing, malformed and mistyped ones without asking the database;
# unknown, revoked and expired ones and those of an inactive user or organization on the
# very next request, in every child. Each refusal is one fixed line in the log.
use strict;
use warnings;

use LIMS::Service::RawRequest qw(message send_raw);
use LIMS::Test;

my $lims = LIMS::Test->new(children => 4, conf => 'CustomLog log/children.log "%P %>s"');
my $good = $lims->{key};

sub refused {
    my ($answer, $name) = @_;
    is($answer->status, 401, $name);
    is(($answer->json || {})->{error}, 'unauthorized', 'the refusal has the slug unauthorized');
    is($answer->header('WWW-Authenticate'), 'Bearer', 'the refusal has a challenge');
    is($answer->header('RateLimit-Limit'), undef, 'the refusal is counted against no key');
    return $answer;
}

sub sessions {
    return $lims->superuser->selectrow_array(
        q{SELECT count(*) FROM pg_stat_activity
           WHERE application_name = 'mod_lims' AND datname = current_database()});
}

# The same length and letters, one of them another.
sub mistyped {
    my ($key, $at) = @_;
    substr($key, $at, 1) = substr($key, $at, 1) eq 'x' ? 'y' : 'x';
    return $key;
}

sub swapped {
    my ($key) = @_;
    for my $at (5 .. length($key) - 2) {
        next if substr($key, $at, 1) eq substr $key, $at + 1, 1;
        substr($key, $at, 2) = reverse substr $key, $at, 2;
        last;
    }
    return $key;
}

# First, while this httpd has no session yet: those that need none.
subtest 'keys refused without asking the database' => sub {
    my %authorization = (
        'nothing'              => undef,
        'an empty field'       => '',
        'no scheme'            => $good,
        'another scheme'       => "Basic $good",
        'another such'         => "Token $good",
        'a scheme alone'       => 'Bearer',
        'a scheme and blanks'  => 'Bearer   ',
        'a scheme run together' => "Bearer$good",
        'a short key'          => 'Bearer lk_x',
        'no prefix'            => 'Bearer ' . substr($good, 3),
        'another prefix'       => 'Bearer sk_' . substr($good, 3),
        'a prefix in capitals' => 'Bearer LK_' . substr($good, 3),
        'a letter more'        => "Bearer ${good}x",
        'a letter less'        => 'Bearer ' . substr($good, 0, -1),
        'a letter mistyped'    => 'Bearer ' . mistyped($good, 10),
        'the first one'        => 'Bearer ' . mistyped($good, 3),
        'one of the checksum'  => 'Bearer ' . mistyped($good, length($good) - 1),
        'two letters swapped'  => 'Bearer ' . swapped($good),
        'in other letters'     => 'Bearer ' . uc $good,
        'an invalid character' => 'Bearer ' . substr($good, 0, 20) . '-' . substr($good, 21),
        'something behind'     => "Bearer $good x",
        'two keys'             => "Bearer $good, Bearer $good",
        'in quotes'            => "Bearer \"$good\"",
        'SQL'                  => q{Bearer ' OR 1=1 --},
        'a long one'           => 'Bearer lk_' . 'x' x 4000,
        'a key twice'          => "Bearer $good$good",
    );
    for my $name (sort keys %authorization) {
        my @field = defined $authorization{$name} ? "Authorization: $authorization{$name}" : ();
        refused(send_raw($lims, message($lims, 'GET', '/whoami', key => undef, headers => \@field)),
            $name);
    }
    refused(send_raw($lims, message($lims, 'GET', '/whoami',
                headers => ["Authorization: Bearer $good"])),
        'the field twice');
    my $writes = send_raw($lims, message($lims, 'POST', '/clients',
            key => mistyped($good, 10), body => '{"code":"K","name":"K"}'));
    refused($writes, 'a write with a mistyped key');
    is(sessions(), 0, 'no database session was opened for them');
};

subtest 'a key in the query or in another header' => sub {
    for my $path ("/whoami?api_key=$good", "/whoami?access_token=$good", "/whoami?key=$good") {
        refused($lims->get($path, key => undef), 'in the query');
    }
    for my $field ('X-Api-Key', 'Api-Key', 'Proxy-Authorization', 'Cookie') {
        refused($lims->get('/whoami', key => undef, headers => { $field => "Bearer $good" }),
            "in $field");
    }
};

subtest 'well-formed Authorization headers are accepted' => sub {
    for my $scheme ('Bearer', 'bearer', 'BEARER', 'Bearer  ', "bEaReR") {
        my $answer = $lims->get('/whoami', headers => { Authorization => "$scheme $good" });
        is($answer->status, 200, "\"$scheme\": a scheme has no case (RFC 9110 section 11.1)");
    }
    cmp_ok(sessions(), '>', 0, 'accepted keys took a database session');
};

# Changes after which a key is refused, each with the change that undoes it; undef: it
# cannot be undone.
my $set = sub {
    my ($sql, @bind) = @_;
    return sub { $lims->db->do($sql, undef, @bind, $_[0]) };
};
my %refusal = (
    'revoked' => {
        refuse => $set->('UPDATE lims.api_key SET revoked_at = now() WHERE id = ?'),
        of     => 'key_id',
    },
    'expired' => {
        refuse => $set->(q{UPDATE lims.api_key SET expires_at = now() WHERE id = ?}),
        undo   => $set->(q{UPDATE lims.api_key SET expires_at = now() + interval '1 hour'
                            WHERE id = ?}),
        of => 'key_id',
    },
    'of a plan without API access' => {
        refuse => $set->(q{UPDATE lims.organization SET api_access = false, plan = 'none'
                            WHERE id = ?}),
        undo => $set->(q{UPDATE lims.organization SET api_access = true, plan = 'starter'
                          WHERE id = ?}),
        of => 'id',
    },
    'of an inactive organization' => {
        refuse => $set->('UPDATE lims.organization SET active = false WHERE id = ?'),
        undo   => $set->('UPDATE lims.organization SET active = true WHERE id = ?'),
        of     => 'id',
    },
    'of a user who has left' => {
        refuse => $set->('UPDATE lims.user_account SET active = false WHERE id = ?'),
        undo   => $set->('UPDATE lims.user_account SET active = true WHERE id = ?'),
        of     => 'user_id',
    },
);
my $unknown = refused($lims->get('/whoami', key => LIMS::Test::Fixture::make_key()),
    'an unknown key');

sub children_that_answered {
    my ($status) = @_;
    open my $in, '<', "$lims->{instance}{home}/log/children.log" or die "children.log: $!\n";
    my %child = map { /^(\d+) $status$/ ? ($1 => 1) : () } <$in>;
    my @children = sort { $a <=> $b } keys %child;
    return @children;
}

my $number = 0;
for my $name (sort keys %refusal) {
    subtest "a key $name" => sub {
        my ($refuse, $undo, $of) = @{ $refusal{$name} }{qw(refuse undo of)};
        my $tenant = $lims->organization(code => 'tenant-' . ++$number);
        my $other  = $lims->organization(code => 'other-' . $number);
        # Somebody has to remain who manages users.
        $lims->insert('user_role', { role => 'administrator',
            user_id => $lims->insert('user_account', { email => 'second@x.example',
                display_name => 'Second', password_hash => 'set' }, $tenant) }, $tenant);
        my $ask    = sub { return $lims->get('/whoami', key => $tenant->{key}, @_) };

        # Every child has seen the key, and remembers what never changes of it.
        open my $truncate, '>', "$lims->{instance}{home}/log/children.log" or die;
        close $truncate;
        my @children = $lims->children;
        for (1 .. 400) {
            $ask->(connection => 'new');
            last if children_that_answered(200) == @children;
        }
        is_deeply([ children_that_answered(200) ], \@children, 'good in every child');

        $refuse->($tenant->{$of});
        my $answer = refused($ask->(), 'then the very next request');
        is($answer->body, $unknown->body, 'the refusal is that of an unknown key');
        my @statuses;
        for (1 .. 400) {
            push @statuses, $ask->(connection => 'new')->status;
            last if children_that_answered(401) == @children;
        }
        is_deeply([ grep { $_ != 401 } @statuses ], [], 'every later request is refused too');
        is_deeply([ children_that_answered(401) ], \@children, 'every child refuses the key');
        my $write = $lims->post('/clients', { code => 'GONE', name => 'G' }, key => $tenant->{key});
        refused($write, 'a write as well');
        is($lims->db->selectrow_array(
                'SELECT count(*) FROM lims.client WHERE organization_id = ?', undef, $tenant->{id}),
            0, 'the refused write wrote nothing');
        is($lims->get('/whoami', key => $other->{key})->status, 200, 'other keys are not affected');
        if ($undo) {
            $undo->($tenant->{$of});
            is($ask->()->status, 200, 'once undone, the next request is answered');
        }
    };
}

subtest 'a key that has not expired yet' => sub {
    my $key = $lims->key($lims->fixture, expires_at => '2999-01-01')->{key};
    is($lims->get('/whoami', key => $key)->status, 200, 'a key before its expiry is accepted');
};

subtest 'the log line of a refused key' => sub {
    my $lines = () = $lims->log =~ /LIMS0001/g;
    cmp_ok($lines, '>', 40, 'every refusal left one');
    # A fail2ban filter matches the address, and words that never change.
    my $head   = qr/\[[^\]]+\] \[lims:warn\] \[pid \d+:tid \d+\] \[client 127\.0\.0\.1:\d+\]/;
    my $filter = qr/\A$head LIMS0001: API key refused: [\w "',()-]+ \(request [\w.:-]+\)\z/;
    my @odd = grep { /LIMS0001/ && $_ !~ $filter } split /\n/, $lims->log;
    is_deeply(\@odd, [], 'all lines have one form, with the client\'s address');
    $lims->get('/whoami', key => mistyped($good, 12));
    send_raw($lims, message($lims, 'GET', '/whoami', key => undef,
            headers => ["Authorization: Bearer lk_evil] LIMS0001: API key refused: \x7f"]));
    unlike($lims->log, qr/\Q@{[ substr mistyped($good, 12), 3, 20 ]}\E/,
        'the log has no refused key');
    unlike($lims->log, qr/lk_evil/, 'the log has nothing else that the caller sent');
    unlike($lims->log, qr/\Q@{[ substr $good, 3, 20 ]}\E/, 'the log has no valid key');
};

done_testing();
