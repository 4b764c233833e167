#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Two people who alone manage users take user.manage from each other at once, in every way
# that there is: one of them keeps it, round after round, as one order or the other would
# have it. A key under keysWithinRoles loses with its person what it may.
use strict;
use warnings;

use LIMS::Test::SQL;

my $rounds = 6;
my $base = LIMS::Test::SQL->new;
my $lab  = $base->laboratory(code => 'cedar');
my @of   = (organization_id => $lab->{id});

sub person {
    my ($name, $role) = @_;
    my $id = $base->insert('user_account', { @of, email => "$name\@cedar.example",
        display_name => $name, password_hash => 'set' });
    $base->insert('user_role', { @of, user_id => $id, role => $role });
    return { id => $id, role => $role };
}

my @managers = (person('ada', 'administrator'), person('sys', 'system_administrator'));

# Only they manage users; what a round took is given back.
sub only_they {
    my $db = $base->db;
    $db->do('UPDATE lims.user_account SET active = true WHERE organization_id = ? AND id = ANY (?)',
        undef, $lab->{id}, [ map { $_->{id} } @managers ]);
    $db->do('INSERT INTO lims.user_role (organization_id, user_id, role) VALUES (?, ?, ?)'
            . ' ON CONFLICT DO NOTHING', undef, $lab->{id}, @$_{qw(id role)}) for @managers;
    $db->do(q{INSERT INTO lims.role_permission (organization_id, role, permission)
        SELECT ?, r, p FROM unnest(?::text[]) r, unnest(ARRAY['user.manage', 'policy.manage']) p
        ON CONFLICT DO NOTHING}, undef, $lab->{id}, [ map { $_->{role} } @managers ]);
    $db->do('DELETE FROM lims.user_role WHERE organization_id = ? AND user_id <> ALL (?)', undef,
        $lab->{id}, [ map { $_->{id} } @managers ]);
    return;
}

my %take = (
    'deactivate' => sub { my ($db, $other) = @_; $db->do('UPDATE lims.user_account SET active = false'
            . ' WHERE organization_id = ? AND id = ?', undef, $lab->{id}, $other->{id}) },
    'take the roles of' => sub { my ($db, $other) = @_; $db->do('DELETE FROM lims.user_role'
            . ' WHERE organization_id = ? AND user_id = ?', undef, $lab->{id}, $other->{id}) },
    'change the matrix under' => sub { my ($db, $other) = @_; $db->do('DELETE FROM'
            . q{ lims.role_permission WHERE organization_id = ? AND role = ?}
            . q{ AND permission = 'user.manage'}, undef, $lab->{id}, $other->{role}) },
);

sub attempt {
    my ($me, $way) = @_;
    my $db = $base->app_db($lab->{id}, $managers[$me]{id});
    $db->do(q{SELECT set_config('lims.reason', 'a race', false)});
    $db->begin_work;
    my $done = eval {
        $take{$way}->($db, $managers[ 1 - $me ]);
        select undef, undef, undef, 0.02;    # the other's statement falls into this
        $db->commit;
        1;
    };
    return 'done' if $done;
    my $why = $db->state eq 'LM001' ? $db->pg_error_field('detail') : $db->state;
    $db->rollback;
    return $why;
}

my @ways = sort keys %take;
for my $first (0 .. $#ways) {
    for my $second ($first .. $#ways) {
        my @pair = @ways[ $first, $second ];
        my (@torn, %met);
        for my $round (1 .. $rounds) {
            only_they();
            my @outcome = $base->parallel(2, sub { attempt($_[0], $pair[ $_[0] ]) });
            my $left = $base->value('SELECT lims.has_manager(?)', $lab->{id});
            my $ends = join ' ', sort @outcome;
            $met{$ends}++;
            push @torn, "@outcome" if !$left
                || $ends !~ /\A(?:done (?:last_administrator|permission_required|40P01)|40P01 done)\z/;
        }
        is(join('; ', @torn), '', "$pair[0] and $pair[1]: one is done, and somebody is left")
            or diag(explain(\%met));
    }
}

# A person who loses the role while a key of theirs verifies.
only_they();
my $analyst = person('ann', 'analyst');
my $key = $base->key($lab, created_by => $analyst->{id});
$base->db->do('UPDATE lims.organization SET keys_within_roles = true WHERE id = ?', undef, $lab->{id});
my @torn;
my $maker = { %$lab, user_id => $managers[0]{id} };

# The id of a test that is entered.
sub entered {
    my $sample = $base->sample($maker, 'PH');
    $base->app($maker)->do(q{UPDATE lims.sample_test SET result = '7' WHERE organization_id = ?
        AND id = ?}, undef, $lab->{id}, $sample->{PH});
    return $sample->{PH};
}

sub keys_session {
    my $db = $base->app_db($lab->{id}, $analyst->{id});
    $db->do(q{SELECT set_config('lims.api_key_id', ?, false)}, undef, $key->{key_id});
    return $db;
}

my $verify = q{UPDATE lims.sample_test SET status = 'verified' WHERE organization_id = ? AND id = ?};
for my $round (1 .. $rounds) {
    $base->db->do(q{INSERT INTO lims.user_role (organization_id, user_id, role)
        VALUES (?, ?, 'analyst') ON CONFLICT DO NOTHING}, undef, $lab->{id}, $analyst->{id});
    my $test = entered();
    my (undef, $by_key) = $base->parallel(2, sub {
        my $db = $_[0] ? keys_session() : $base->app_db($lab->{id}, $managers[0]{id});
        $db->do(q{SELECT set_config('lims.reason', 'a race', false)});
        return $take{'take the roles of'}->($db, $analyst) unless $_[0];
        return eval { $db->do($verify, undef, $lab->{id}, $test) } ? 'done'
            : $db->pg_error_field('detail') // $db->state;
    });
    my $status = $base->value('SELECT status FROM lims.sample_test WHERE id = ?', $test);
    push @torn, "$by_key: $status" unless "$by_key $status" =~
        /\A(?:done verified|permission_required entered)\z/;
}
is(join('; ', @torn), '', 'a key whose person loses the role: verified before it, or refused');
refused(keys_session(), $verify, [ $lab->{id}, entered() ], 'permission_required',
    'later verifications by the key are refused');

done_testing();
