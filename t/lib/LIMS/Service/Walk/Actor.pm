# SPDX-License-Identifier: Apache-2.0
package LIMS::Service::Walk::Actor;

=head1 NAME

LIMS::Service::Walk::Actor - one of several processes in which people and keys of a walk act

=head1 SYNOPSIS

    my $actor = LIMS::Service::Walk::Actor->new($walk, 3);
    $actor->wander(100);
    my ($ok, $answer, $why) = $actor->somebody('result.verify', 'sample-test verify', $test);
    return $actor->end;

=head1 DESCRIPTION

    wander($count, @routes)
                     so many acts of anybody, keys included: these routes, and between them
                     what a laboratory mostly does
    act($name, $command, $id, %values)
                     a person's act, mostly over HTTP, else by limsctl: (whether it was done,
                     the answer, the refusal in words)
    ask($key, $route, $id, %values)
                     the same by a key
    somebody($permission, $command, $id, %values)
                     by the first who may; a refusal that concerns the person lets the next try
    end              what was counted: acts, and how often each route was taken by whom

What ideas are made of: C<sample>, C<test>, C<tests> of the sample that is looked at now;
C<one($table, $condition)>, one of its latest records, C<some> of them; C<name>, which nothing
has yet; C<value($sql, @bind)>.

People act in the application, in sessions of their own, which sign what is to be signed
as it stands at that moment; and through F<acts.c>, which is limsctl for many commands.

=cut

use strict;
use warnings;

use IPC::Open2 qw(open2);
use JSON::PP ();
use List::Util qw(shuffle);

use LIMS::Instance;
use LIMS::Service::Walk::Ideas;

my $json = JSON::PP->new->utf8->canonical->allow_nonref;

# The most frequent acts of a laboratory.
my @MOSTLY = (('sample-test enter') x 8, ('sample-test verify') x 5, ('sample status') x 3,
    ('approval decide') x 3, 'sample-test bulk-enter', 'sample-test verify-many', 'sample report',
    'sample-test reopen', 'POST /instrument-ingest', 'certificate issue', 'sample create',
    'sample receive');

sub new {
    my ($class, $walk, $number) = @_;
    my $self = bless { %$walk, number => $number, count => 0, taken => {}, named => 0 }, $class;

    srand $self->{seed} * 1000 + $number;
    $self->{tag} = sprintf 'W%d.%d.', ++$walk->{rounds}, $number;
    $self->{pid} = open2($self->{from}, $self->{to}, LIMS::Instance::out() . '/t/walk/acts',
        $self->{lims}->conninfo, $self->{password});
    return $self;
}

sub end {
    my ($self) = @_;
    close $self->{to};
    waitpid $self->{pid}, 0;
    return { count => $self->{count}, taken => $self->{taken} };
}

# --- What there is ---------------------------------------------------------------------

sub value {
    my ($self, $sql, @bind) = @_;
    return scalar $self->{lims}->db->selectrow_array($sql, undef, @bind);
}

sub some {
    my ($self, $table, $condition) = @_;
    my $ids = $self->{lims}->db->selectcol_arrayref("SELECT id FROM lims.$table"
            . ' WHERE organization_id = ?' . ($condition ? " AND $condition" : '')
            . ' ORDER BY id DESC LIMIT 10', undef, $self->{organization}{id});
    my @some = shuffle @$ids;
    return @some ? @some[ 0 .. int rand @some ] : ();
}

sub one { return ($_[0]->some(@_[ 1 .. $#_ ]))[0] }

sub tests { return @{ $_[0]{looked_at}{tests} } }
sub test  { return $_[0]{looked_at}{tests}[0] }
sub name  { return $_[0]{tag} . ++$_[0]{named} }
sub everybody { return sort keys %{ $_[0]{people} } }

sub sample { return $_[0]{looked_at}{id} }

sub somebodys_id { my ($self) = @_; return $self->{people}{ (shuffle $self->everybody)[0] }->id }

# A sample in work, more often than not; nothing is taken further of what has ended.
sub _look {
    my ($self) = @_;
    my $id = (rand() < 0.85 && $self->one('sample', q{status <> 'reported'}))
        || $self->one('sample') || return;
    my $tests = $self->{lims}->db->selectcol_arrayref('SELECT id FROM lims.sample_test'
            . " WHERE organization_id = ? AND sample_id = ? ORDER BY disposition <> 'active', random()",
        undef, $self->{organization}{id}, $id);

    $self->{looked_at} = { id => $id, tests => $tests };
    return $id;
}

# --- Acting ----------------------------------------------------------------------------

sub may {
    my ($self, $name, $permission) = @_;
    return $self->{may}{$name}{$permission} //= $self->value('SELECT lims.has_permission(?, ?, ?)',
        $self->{organization}{id}, $self->{people}{$name}->id, $permission) ? 1 : 0;
}

sub _text {
    my ($value) = @_;
    return $value unless ref $value;
    return join ',', @$value if ref $value eq 'ARRAY' && !grep { ref } @$value;
    return $json->encode(_typed($value));
}

# Ids come from the database as text, and go out as numbers.
sub _typed {
    my ($value, $name) = @_;
    return { map { $_ => _typed($value->{$_}, $_) } keys %$value } if ref $value eq 'HASH';
    return [ map { _typed($_, $name) } @$value ] if ref $value eq 'ARRAY';
    return $value if ref $value || ($name // '') !~ /(?:\Aid|Ids?|\AassignedTo)\z/;
    return defined $value && $value =~ /\A\d+\z/ ? 0 + $value : $value;
}

sub _taken {
    my ($self, $route, $who, $outcome) = @_;
    $self->{count}++;
    $self->{taken}{$route}{$who}{$outcome}++;
    return;
}

sub act {
    my ($self, $name, $command, $id, %value) = @_;
    my $route = $self->{routes}{$command};
    # acts.c has no word for null.
    my $tool  = $route->{surfaces} !~ /p/ || ($route->{surfaces} =~ /t/ && rand() < 0.2
            && !grep { !defined } values %value);

    return $tool ? $self->_command($name, $route, $id, %value)
        : $self->_request($self->{people}{$name}, $route, $id, %value);
}

sub _command {
    my ($self, $name, $route, $id, %value) = @_;
    my $command = $route->{command};
    my @words = ('--organization', $self->{organization}{code}, '--user',
        $self->{people}{$name}->email, split(' ', $command), defined $id ? $id : (),
        map { ('--' . lc(s/([A-Z])/-$1/gr), _text($value{$_})) } sort keys %value);

    print { $self->{to} } join("\x1f", @words), "\n" or die "acts: $!\n";
    $self->{to}->flush;
    my ($exit, $length) = (readline($self->{from}) // die "acts ended at: @words\n") =~ /(\d+)/g;
    read $self->{from}, (my $text), $length;
    my $answer = eval { $json->decode($text) };
    my $slug   = $exit ? ref $answer ? $answer->{error} // $answer->{code} // 'each' : '?' : 'done';
    $self->_taken($command, 'limsctl', $slug);
    $self->{lims}->problem("$command answers", "@words", $text)
        if $slug =~ /\A(?:internal_error|service_unavailable|\?)\z/;
    return (!$exit, $answer, $exit ? "$command by $name: $text" : '');
}

# --- In the application -------------------------------------------------------------------

# Asks, and signs where that is answered; who was signed out, also by another process that
# acts as the same person, begins a new session.
sub _request {
    my ($self, $person, $route, $id, %value) = @_;
    my $answer = $self->_send($person, $route, $id, %value);
    my $slug   = _slug($answer);

    $person->begin_session if $slug =~ /\A(?:unauthorized|session_changed)\z/;
    $answer = $self->_send($person, $route, $id, %value)
        if $slug =~ /\A(?:unauthorized|session_changed)\z/;
    $answer = $self->_send($person, $route, $id, $self->_signed($route, $id, %value))
        if _slug($answer) eq 'esignature_required';
    return $self->_answered($route, 'people', $person->email, $answer, \%value);
}

sub _send {
    my ($self, $person, $route, $id, %value) = @_;
    local $self->{lims}{contract} = $self->{lims}{contract} && $self->{documents};
    delete $value{passwordFile};
    return $person->request(_message($route, $id, %value));
}

# Returns the digest of what a person saw: of the record as it stands, or of each in the
# list.
sub _signed {
    my ($self, $route, $id, %value) = @_;
    my $of = $route->{signs};
    my %signature = (password => $self->{password});

    if ($route->{each}) {
        $value{items} = [ map { { %$_, contentHash => $self->_seen($of,
                        $_->{sampleTestId} // $_->{id}) } } @{ $value{items} } ];
    }
    else {
        $id //= $of eq 'amendment' ? $self->value('SELECT id FROM lims.amendment'
            . " WHERE status = 'open' AND sample_id = ?", $value{sampleId})
            : $self->{organization}{id};
        $signature{contentHash} = $self->_seen($of, $id);
    }
    return (%value, signature => \%signature);
}

sub _seen {
    my ($self, $table, $id) = @_;
    return $self->value(q{SELECT encode(lims.signed_hash(?, ?, ?), 'hex')},
        $self->{organization}{id}, $table, $id) // '0' x 64;
}

# The visitor signs in, looks and signs out.
sub _visit {
    my ($self, $route) = @_;
    my $visitor = $self->{visitor};
    my $answer  = $route->{method} eq 'POST' ? $visitor->sign_in : $self->_send($visitor, $route);

    return $self->_answered($route, 'people', $visitor->email, $answer, {});
}

# --- Over HTTP -------------------------------------------------------------------------------

sub _query {
    my (%value) = @_;
    return join '&', map { my $text = _text($value{$_});
        utf8::encode($text) if utf8::is_utf8($text);
        "$_=" . $text =~ s/([^A-Za-z0-9._~-])/sprintf '%%%02X', ord $1/ger } sort keys %value;
}

# Method, path and body of a request.
sub _message {
    my ($route, $id, %value) = @_;
    my $path = $route->{path} =~ s/:id/$id/r;

    return ($route->{method}, %value ? "$path?" . _query(%value) : $path) if $route->{reads};
    return ($route->{method}, $path, body => _typed(\%value));
}

sub _slug {
    my ($answer) = @_;
    return '' if $answer->status < 300;
    return ref $answer->json eq 'HASH' ? $answer->json->{error} // $answer->json->{code} // 'each'
        : $answer->status;
}

# Notes what an act came to: (whether it was done, the answer, the refusal in words).
sub _answered {
    my ($self, $route, $who, $by, $answer, $value) = @_;
    my $slug = _slug($answer);

    $self->_taken($route->{name}, $who, length $slug ? $slug : 'done');
    $self->{lims}->problem("$route->{name} answers", $json->encode($value), $answer->body)
        if $answer->status >= 500;
    return (!length $slug, $answer->json,
        length $slug ? "$route->{name} by $by: " . $answer->body : '');
}

sub ask {
    my ($self, $key, $route, $id, %value) = @_;
    my $answer = $self->{lims}->request(_message($route, $id, %value), key => $key);
    return $self->_answered($route, 'keys', 'a key', $answer, \%value);
}

sub somebody {
    my ($self, $permission, $command, $id, %value) = @_;
    my @able = grep { $self->may($_, $permission) } $self->everybody;
    my @said;

    # The same one verifies wherever possible, so that others are left to approve.
    @able = shuffle @able if $permission ne 'result.verify';
    for my $name (@able) {
        my ($ok, $answer, $why) = $self->act($name, $command, $id, %value);
        return (1, $answer, '') if $ok;
        push @said, $why;
        last if ($answer->{error} // '') !~ /\A(?:permission_required|self_\w+)\z/;
    }
    return (0, undef, join(' ', @said) || "nobody has $permission");
}

# The sample as a key sees it, and the findings on it.
sub see {
    my ($self, $path) = @_;
    my $answer = $self->{lims}->get($path, key => $self->{organization}{key});
    $self->{count}++;
    return $answer->json;
}

# --- Wandering ---------------------------------------------------------------------------

sub wander {
    my ($self, $count, @routes) = @_;

    for my $left (reverse 1 .. $count) {
        if (!$self->_look) {
            $self->_take($self->{routes}{'sample create'});
            next;
        }
        my $dealt = rand() * $left < @routes;
        my $name  = $dealt ? shift @routes : $MOSTLY[ rand @MOSTLY ];
        my $taken = $self->_take($self->{routes}{$name});
        # A route that had nothing to act on is tried again.
        push @routes, $name if $dealt && !$taken;
    }
    return;
}

# False where there was nothing to ask about.
sub _take {
    my ($self, $route) = @_;
    my $idea = LIMS::Service::Walk::Ideas::of($route) or return;
    my ($id, %value) = $idea->($self) or return;
    my $by_key = $route->{surfaces} =~ /k/ && ($route->{surfaces} eq 'k' || rand() < 0.4);

    return if $route->{path} =~ /:id/ && !defined $id;
    if ($by_key) {
        $self->ask($self->{keys}[ rand @{ $self->{keys} } ], $route, $id, %value);
    }
    elsif ($route->{path} =~ m{\A/session\b}) {
        $self->_visit($route);
    }
    else {
        $self->act(($self->everybody)[ rand keys %{ $self->{people} } ], $route->{name}, $id,
            %value);
    }
    return 1;
}

1;
