# SPDX-License-Identifier: Apache-2.0
package LIMS::Peers::Prometheus;

=head1 NAME

LIMS::Peers::Prometheus - a Prometheus server that scrapes a test's service

=head1 SYNOPSIS

    my $prometheus = LIMS::Peers::Prometheus->new($lims);
    wait_until { $prometheus->query('up{job="lims"}') };

=head1 DESCRIPTION

As conf/prometheus.yml has it, with what is a site's own put in: the target, the
certificate and the name in it, and the intervals, which are a second. It listens
on loopback only and ends with the test.

    query($expression)   its samples: ({ labels => {}, value => })
    rules                every alert rule as it stands: ({ name, health, state, lastError })

=cut

use strict;
use warnings;

use File::Path qw(remove_tree);
use HTTP::Tiny;
use JSON::PP ();
use LIMS::Instance;
use LIMS::Test::Source;
use LIMS::Wait;

my $owner = $$;
my @made;

sub new {
    my ($class, $lims) = @_;
    my $dir  = "$lims->{instance}{home}/prometheus";
    my $port = LIMS::Instance::reserve_port();
    my $self = bless { url => "http://127.0.0.1:$port", dir => $dir }, $class;

    mkdir $dir or die "$dir: $!\n";
    open my $out, '>', "$dir/prometheus.yml" or die "prometheus.yml: $!\n";
    print {$out} _configuration($lims);
    close $out;
    push @made, $self;
    $self->{pid} = fork // die "fork: $!\n";
    if (!$self->{pid}) {
        open STDOUT, '>', "$dir/log" or die "log: $!\n";
        open STDERR, '>&', \*STDOUT or die "log: $!\n";
        exec 'prometheus', "--config.file=$dir/prometheus.yml", "--storage.tsdb.path=$dir/data",
            "--web.listen-address=127.0.0.1:$port", '--log.level=warn'
            or die "prometheus: $!\n";
    }
    wait_until { HTTP::Tiny->new->get("$self->{url}/-/ready")->{status} == 200 }
        or die 'Prometheus did not start: ' . qx{cat '$dir/log'} . "\n";
    return $self;
}

# Returns the configuration of conf/prometheus.yml, with the addresses of this test.
sub _configuration {
    my ($lims) = @_;
    my $yaml = text('conf/prometheus.yml');
    my %here = (
        qr/^(\s*(?:scrape|evaluation)_interval:).*/m => '1s',
        qr/^(\s*scrape_timeout:).*/m                 => '1s',
        qr/^(\s*ca_file:).*/m                        => LIMS::Instance::ca_file(),
        qr/^(\s*server_name:).*/m                    => 'localhost',
        qr/^(rule_files:\n\s*-).*/m                  => "$LIMS::Test::Source::root/conf/alerts.yml",
        qr/^(\s*- targets:\n\s*-).*/m                => "127.0.0.1:$lims->{instance}{port}",
    );

    for my $line (keys %here) {
        $yaml =~ s/$line/$1 $here{$line}/g or die "conf/prometheus.yml has no $line\n";
    }
    return $yaml;
}

sub _ask {
    my ($self, $path, %parameter) = @_;
    my $http   = HTTP::Tiny->new;
    my $answer = $http->get("$self->{url}/api/v1/$path?" . $http->www_form_urlencode(\%parameter));
    my $json   = JSON::PP::decode_json($answer->{content});

    die "$path: $answer->{content}\n" unless $json->{status} eq 'success';
    return $json->{data};
}

sub query {
    my ($self, $expression) = @_;

    return map { { labels => $_->{metric}, value => $_->{value}[1] } }
        @{ $self->_ask('query', query => $expression)->{result} };
}

sub rules {
    my ($self) = @_;
    return map { @{ $_->{rules} } } @{ $self->_ask('rules')->{groups} };
}

sub stop {
    my ($self) = @_;
    my $pid = delete $self->{pid} or return;

    kill 'KILL', $pid;
    waitpid $pid, 0;
    remove_tree($self->{dir});
    return;
}

END {
    if ($$ == $owner) {
        my $status = $?;
        $_->stop for @made;
        $? = $status;
    }
}

1;
