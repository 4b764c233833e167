# SPDX-License-Identifier: Apache-2.0
package LIMS::Service::Walk;

=head1 NAME

LIMS::Service::Walk - people and keys of a laboratory who act at random, at once, and then end all samples

=head1 SYNOPSIS

    my $walk = LIMS::Service::Walk->new($lims, code => 'two', seed => 7, strict => 1,
        people => { 'Una One' => ['lab_manager'] });
    $walk->wander(1000);
    my @stuck = $walk->finish;

=head1 DESCRIPTION

    new($lims, code => , seed => , people => { name => [roles] }, strict => $bool)
                    a laboratory of these people and two keys; strict switches on every policy
                    that they can meet, each by itself. A visitor, who receives samples,
                    signs in and out. documents: also what people are answered is compared with
                    the application's document
    wander($count)  that many acts, of anybody, on any record; most refusals are expected.
                    Half of them are the routes in turn, so that each is taken
    finish          brings every sample to its end by what its findings say; what is not
                    reported after 40 acts, and what amendment is still open, in words
    amend           opens amendments of reported samples, among which to wander on; how many
    broken_rules    what the trail says was released against a policy in force
    routes()        the table of routes: name => { name, method, path, command, surfaces, reads,
                    signs, each }

Each is done by several processes at once (L<LIMS::Service::Walk::Actor>), which all act on
the same records. C<$walk-E<gt>{count}> counts acts, C<$walk-E<gt>{taken}> those of each
route, by people over HTTP, by limsctl and by keys.

=cut

use strict;
use warnings;

use File::Temp ();
use JSON::PP ();
use List::Util qw(shuffle);

use LIMS::Files::Instrument;
use LIMS::Instance;
use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Service::TrailRules;
use LIMS::Service::Walk::Actor;
use LIMS::Service::Walk::Ideas;
use LIMS::Service::Walk::Remedies;

my $ACTORS   = 4;
my @POLICIES = ([ selfVerification => 'refused' ], [ approverMayBeVerifier => JSON::PP::false ],
    [ reasonOnChange => JSON::PP::true ], [ openInvestigationBlocks => JSON::PP::true ],
    [ qcRequired => 'block' ], [ lotQcPolicy => 'block' ]);

# A route is named by its command, and by method and path where it has none.
sub routes {
    my %routes;
    my (undef, $table) = LIMS::Instance::capture(LIMS::Instance::out() . '/t/walk/acts');

    for my $line (split /\n/, $table) {
        my %route;
        @route{qw(method path command surfaces reads signs each)} = split /\t/, $line;
        $route{name} = $route{command} || "$route{method} $route{path}";
        $routes{ $route{name} } = \%route;
    }
    return \%routes;
}

sub new {
    my ($class, $lims, %option) = @_;
    my $organization = $lims->organization(code => $option{code});
    my $self = bless { lims => $lims, organization => $organization, seed => $option{seed},
        documents => $option{documents},
        lab => LIMS::Service::Laboratory->new($lims, $organization), count => 0, rounds => 0,
        taken => {}, routes => routes(), password => LIMS::Service::Person->password }, $class;

    $self->{file} = File::Temp->new;
    print { $self->{file} } "$self->{password}\n";
    close $self->{file};
    $self->{password_file} = $self->{file}->filename;
    $self->{keys} = [ $organization->{key}, $lims->key($organization, name => 'bench', scopes =>
                [qw(samples:read samples:write results:read results:write instruments:write)])->{key} ];
    $self->_employ($option{people}, $option{code});
    my $actor = LIMS::Service::Walk::Actor->new($self, 0);
    $self->_furnish($actor);
    $self->_be_strict($actor) if $option{strict};
    $self->_count($actor->end);
    return $self;
}

# The administrator of the fixture, for whom the keys act, is nobody else's deputy.
sub _employ {
    my ($self, $people, $code) = @_;
    my ($lims, $organization) = @$self{qw(lims organization)};

    $self->{people}{$_} = LIMS::Service::Person->new($lims, organization => $organization,
        name => $_, email => lc(s/\s+/./gr) . "\@$code.example", roles => $people->{$_})
        for sort keys %$people;
    $self->{visitor} = LIMS::Service::Person->new($lims, organization => $organization,
        email => "visitor\@$code.example", roles => ['receiving_clerk']);
    $lims->db->do('DELETE FROM lims.user_role WHERE organization_id = ? AND user_id <> ALL (?)',
        undef, $organization->{id}, [ map { $_->id } $self->{visitor}, values %{ $self->{people} } ]);
    return;
}

# Makes the laboratory's reference data: a test with limits, one with quality control, one
# that has to be confirmed, one with a worksheet; and an instrument that sends files.
sub _furnish {
    my ($self, $actor) = @_;
    my $lab = $self->{lab};
    my $pc  = LIMS::Files::Instrument->new($lab);

    $lab->approval_steps('Technical review', 'Quality assurance');
    $self->{definitions} = [
        $lab->definition(code => 'PH', specification_low => 6, specification_high => 8),
        $lab->definition(code => 'PB', method => 'EPA 200.8', specification_high => 15),
        $lab->definition(code => 'FC', requires_confirmation => 't'),
        $lab->definition(code => 'TDS', requires_worksheet => 't') ];
    $lab->worksheet_template($self->{definitions}[3], ['weight'], ['Analyst']);
    $self->{material} = $lab->material;
    my ($made, undef, $why) = $actor->somebody('reference.manage', 'qc-template create', undef,
        method => 'EPA 200.8', name => 'Metals', controls => [ { type => 'LFB',
                testDefinitionId => $self->{definitions}[1], criterion => 'recovery',
                expectedValue => 50, lowerLimit => 85, upperLimit => 115 } ]);
    die $why unless $made;
    $self->{reagents} = [ map { $lab->reagent_lot } 1 .. 2 ];
    $self->{media}    = [ map { $lab->media_lot } 1 .. 2 ];
    $self->{profile}  = $pc->definition(tests => [ map { { name => $_, testCode => $_ } }
                qw(PH PB ABSENT) ], write => { existing => 'overwriteUnverified' });
    $pc->profile(%{ $self->{profile} });
    return;
}

sub _be_strict {
    my ($self, $actor) = @_;
    my @wanted = ([ approvalStepRoles => [qw(lab_manager qa_officer)] ],
        (map { [ policies => { $_->[0] => $_->[1] } ] } @POLICIES),
        [ esignatureRequired => JSON::PP::true ]);

    for my $wanted (@wanted) {
        my ($member, $value) = @$wanted;
        my ($ok, undef, $why) = $actor->somebody('policy.manage', 'organization update', undef,
            $member => $value, reason => 'strict');
        die "$member: $why\n" if !$ok && $why !~ /"policy_unsatisfiable"/;
        $self->{is}{ ref $value eq 'HASH' ? (keys %$value)[0] : $member } = 1 if $ok;
    }
    return;
}

sub policies { return join ' ', sort keys %{ $_[0]{is} || {} } }

# --- Many at once ----------------------------------------------------------------------

sub _count {
    my ($self, $did) = @_;
    $self->{count} += $did->{count};
    for my $route (keys %{ $did->{taken} }) {
        for my $who (keys %{ $did->{taken}{$route} }) {
            my $outcomes = $did->{taken}{$route}{$who};
            $self->{taken}{$route}{$who}{$_} += $outcomes->{$_} for keys %$outcomes;
        }
    }
    return;
}

# Runs the actors in processes of their own, and returns the answers of each.
sub _at_once {
    my ($self, $action) = @_;
    my @returned;

    $self->{rounds}++;
    $self->{lims}->forget_handles;
    for my $part ($self->{lims}->parallel($ACTORS, sub {
        my ($number) = @_;
        my $actor = LIMS::Service::Walk::Actor->new($self, $number);
        my @result = $action->($actor);
        return [ $actor->end, @result ];
    })) {
        my ($did, @result) = @{ $part || die "a process of the walk ended\n" };
        $self->_count($did);
        push @returned, @result;
    }
    return @returned;
}

# The ids of a process' share.
sub _share {
    my ($self, $actor, $condition) = @_;
    return @{ $self->{lims}->db->selectcol_arrayref("SELECT id FROM lims.sample WHERE"
            . " organization_id = ? AND id % $ACTORS = ? AND $condition ORDER BY id", undef,
        $self->{organization}{id}, $actor->{number}) };
}

# The routes in random order, without end; several laboratories go on where the last left off.
my @deck;

sub _deal {
    my ($self, $count) = @_;
    my @some;

    while (@some < $count) {
        @deck = shuffle grep { !LIMS::Service::Walk::Ideas::not_taken($self->{routes}{$_}) }
            sort keys %{ $self->{routes} } unless @deck;
        push @some, shift @deck;
    }
    return \@some;
}

sub wander {
    my ($self, $count) = @_;
    my $each = int($count / $ACTORS) + 1;
    my @dealt = map { $self->_deal(int $each / 2) } 1 .. $ACTORS;

    $self->_at_once(sub { $_[0]->wander($each, @{ $dealt[ $_[0]{number} ] }); return });
    return;
}

# Half of what was cancelled is needed after all.
sub finish {
    my ($self) = @_;
    my @stuck = $self->_at_once(sub {
        my ($actor) = @_;
        $actor->somebody('sample.cancel', 'sample disposition', $_, disposition => 'active',
            reason => 'a walk') for grep { rand() < 0.5 }
            $self->_share($actor, q{disposition IN ('cancelled', 'rejected')});
        return grep { length } map { LIMS::Service::Walk::Remedies::finish($actor, $_) }
            $self->_share($actor, 'true');
    });
    push @stuck, map { "amendment $_ is neither issued nor withdrawn" }
        @{ $self->{lims}->db->selectcol_arrayref('SELECT id FROM lims.amendment'
            . " WHERE organization_id = ? AND status = 'open'", undef, $self->{organization}{id}) };
    return @stuck;
}

sub amend {
    my ($self) = @_;
    return scalar grep { $_ } $self->_at_once(sub {
        my ($actor) = @_;
        my ($first, @others) = $self->_share($actor, q{status = 'reported'});
        return map { ($actor->somebody('certificate.amend', 'sample amend', $_,
            reason => 'a walk'))[0] } $first // (), grep { rand() < 0.5 } @others;
    });
}

sub broken_rules {
    my ($self) = @_;
    return LIMS::Service::TrailRules::broken($self->{lims}->superuser, $self->{organization}{id},
        $self->{is} // {});
}

1;
