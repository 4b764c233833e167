# SPDX-License-Identifier: Apache-2.0
package LIMS::Chaos::PgProxy;

=head1 NAME

LIMS::Chaos::PgProxy - a proxy between service and PostgreSQL that holds back or adds messages

=head1 SYNOPSIS

    my $proxy = LIMS::Chaos::PgProxy->new;
    my $lims   = LIMS::Test->new(conf => $proxy->conf('lims_test_database_connection_reuse'));

    my $answer = $proxy->record_answer(sub { $lims->get('/clients/1') }, 'client_get');
    $proxy->rule(of => 'client_get', pass => @$answer - 1);
    $lims->get('/clients/1');    # the database answers all but its last message
    $proxy->rule;               # forwards the rest

=head1 DESCRIPTION

Forwards queries to PostgreSQL, and its answers message by message. A rule holds for
every connection until the next rule is set:

    of      the rule is for answers to queries that contain these words, such as the
            name of a statement; without it, for all answers
    pass    forwards so many messages of such an answer and holds the rest back
    whole   1: holds such an answer back until it is complete, then sends it at once
    before  bytes that are sent before such an answer's ReadyForQuery
    stray   bytes that are sent once, unasked, on every open connection

    record_answer($action, $words)   runs the action; the messages of the last answer
                                     to a query with these words
    held                      how often the proxy began to hold something back
    lost($words)              how many connections the service has closed of those on
                              which a query with these words was asked
    lost($words, $count)      the same, once it is more than that

=cut

use strict;
use warnings;

use File::Temp ();
use IO::Select;
use IO::Socket::UNIX;
use JSON::PP ();
use MIME::Base64 qw(decode_base64 encode_base64);

use LIMS::Instance;
use LIMS::Wait;
use parent 'LIMS::Peers::ForkedServer';

my $json = JSON::PP->new->utf8->canonical;

sub new {
    my ($class, %option) = @_;
    my $self = bless { folder => File::Temp->newdir('/var/tmp/lims-pg-proxy.XXXXXX'), number => 0,
        to => $option{to} || LIMS::Instance::start_cluster() }, $class;
    my $path     = "$self->{folder}/.s.PGSQL.5432";
    my $listener = IO::Socket::UNIX->new(Local => $path, Listen => 64) or die "$path: $!\n";

    chmod 0755, "$self->{folder}";
    chmod 0777, $path;
    $self->rule;
    $self->launch(sub {
        $self->serve($listener, sub {
            eval { $self->_pass(@_) };
            $self->note({ end => $$ });
        });
    });
    close $listener;
    return $self;
}

sub conf {
    my ($self, $database) = @_;
    return qq(Define LIMS_DATABASE "host=$self->{folder} dbname=$database"\n);
}

sub rule {
    my ($self, %rule) = @_;
    my $path  = "$self->{folder}/rule";
    my @there = defined $rule{stray} ? $self->_there : ();

    $rule{number} = ++$self->{number};
    defined $rule{$_} and $rule{$_} = encode_base64($rule{$_}, '') for qw(of before stray);
    open my $out, '>', "$path.new" or die "$path: $!\n";
    print {$out} $json->encode(\%rule);
    close $out;
    rename "$path.new", $path or die "$path: $!\n";
    # Until whoever is connected has it.
    wait_until {
        my %open = map { $_ => 1 } $self->_there;
        delete @open{ map { $_->{to} } grep { ($_->{stray} // 0) == $rule{number} } $self->noted };
        !grep { $open{$_} } @there;
    } or die "somebody does not read\n";
    return;
}

# Returns the connections that are open.
sub _there {
    my ($self) = @_;
    my %open;
    for my $note ($self->noted) {
        $open{ $note->{open} } = 1 if $note->{open};
        delete $open{ $note->{end} } if $note->{end};
    }
    return keys %open;
}

sub record_answer {
    my ($self, $action, $words) = @_;

    $self->rule(of => $words);
    $action->();
    my ($answer) = map { $_->{answer} || () } reverse $self->noted;
    die "nothing was asked with $words\n" if !$answer;
    $self->rule;
    return [ map { decode_base64($_) } @$answer ];
}

sub held { return scalar grep { $_->{held} } $_[0]->noted }

sub lost {
    my ($self, $words, $count) = @_;
    my $lost;
    wait_until {
        $lost = grep { defined $_->{lost} && index(decode_base64($_->{lost}), $words) >= 0 }
            $self->noted;
        !defined $count || $lost > $count;
    };
    return $lost;
}

# --- In between --------------------------------------------------------------

# The rule as it is now; the connection does what is to be done once.
sub _look {
    my ($self, $c) = @_;
    open my $in, '<', "$self->{folder}/rule" or return;
    local $/ = undef;
    my $rule = $json->decode(<$in>);

    my $fresh = !$c->{rule};

    return if !$fresh && $c->{rule}{number} == $rule->{number};
    defined $rule->{$_} and $rule->{$_} = decode_base64($rule->{$_}) for qw(of before stray);
    $c->{rule} = $rule;
    _answer($c, join '', splice @{ $c->{kept} });
    if (defined $rule->{stray} && !$fresh) {
        _answer($c, $rule->{stray});
        $self->note({ stray => $rule->{number}, to => $$ });
    }
    return;
}

sub _write {
    my ($to, $bytes) = @_;
    my $done = 0;

    while ($done < length $bytes) {
        $done += syswrite($to, $bytes, length($bytes) - $done, $done) // die "write: $!\n";
    }
    return;
}

# A side that has hung up is noted when it is read.
sub _answer {
    my ($c, $bytes) = @_;
    return eval { _write($c->{client}, $bytes) };
}

sub _pass {
    my ($self, $client) = @_;
    my $server = IO::Socket::UNIX->new(Peer => "$self->{to}/.s.PGSQL.5432") or return;
    my $c = { client => $client, kept => [], asked => '', all => '', answer => [] };
    my $both   = IO::Select->new($client, $server);
    my $said   = '';

    $self->_look($c);
    $self->note({ open => $$ });
    while (1) {
        # Also while nothing is said there may be a new rule.
        my @ready = $both->can_read(0.02);
        $self->_look($c);
        for my $from (@ready) {
            my $read = sysread $from, my $bytes, 65536;
            if (!$read) {
                # When the service says that it leaves (Terminate), PostgreSQL may be gone
                # first.
                $self->note({ lost => encode_base64($c->{all}, '') })
                    if $from == $client || $c->{all} =~ /X\0\0\0\x04\z/;
                return;
            }
            if ($from == $client) {
                $c->{$_} .= $bytes for qw(asked all);
                _write($server, $bytes);
                next;
            }
            $said .= $bytes;
            while (length $said >= 5 && length $said > unpack 'x N', $said) {
                $self->_message($c, substr $said, 0, 1 + unpack('x N', $said), '');
            }
        }
    }
    return;
}

sub _message {
    my ($self, $c, $message) = @_;
    my $rule  = $c->{rule};
    my $ready = $message =~ /\AZ/;
    my $meant = !defined $rule->{of} || index($c->{asked}, $rule->{of}) >= 0;
    my $full  = defined $rule->{pass} && @{ $c->{answer} } >= $rule->{pass};

    push @{ $c->{answer} }, $message;
    # Before it is passed on: then somebody may ask for what was noted.
    $self->note({ answer => [ map { encode_base64($_, '') } @{ $c->{answer} } ] })
        if $ready && $meant && defined $rule->{of};
    $message = $rule->{before} . $message if $meant && $ready && defined $rule->{before};
    if ($meant && $full && !@{ $c->{kept} }) {
        $self->note({ held => 1 });
    }
    if (@{ $c->{kept} } || $meant && ($full || $rule->{whole})) {
        push @{ $c->{kept} }, $message;
    }
    else {
        _answer($c, $message);
    }
    if ($ready) {
        _answer($c, join '', splice @{ $c->{kept} }) if $meant && $rule->{whole};
        @$c{qw(asked answer)} = ('', []);
    }
    return;
}

1;
