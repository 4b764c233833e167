# SPDX-License-Identifier: Apache-2.0
package LIMS::Service::VirtualHosts;

=head1 NAME

LIMS::Service::VirtualHosts - several virtual hosts in one httpd, in each way to configure them

=head1 SYNOPSIS

    use LIMS::Test;
    use LIMS::Service::VirtualHosts;

    my $hosts = LIMS::Service::VirtualHosts->new(way => 'include', conf => 'LimsRateLimit 120');
    my ($first, $second) = $hosts->all;      # each can be asked as a LIMS::Test
    $first->post('/clients', {...});
    $hosts->httpd->graceful;
    ok($hosts->finish, 'nothing unexpected in the log');

=head1 DESCRIPTION

Two hosts beside that of a L<LIMS::Test>, each with a database: the second's is a
copy of the first's, so that both know the same keys, and what reaches the wrong
one is accepted there. How they are written (C<@LIMS::Service::VirtualHosts::ways>):

    include   conf/lims.conf is included twice
    site      by the macro of conf/lims-site.conf
    macro     by a macro of one's own that has the lines of conf/lims.conf
    written   each written out
    copies    conf/lims.conf in two files with a name each

=head2 new(%option)

    way    one of these
    conf   further directives, for both
    children  how many, as LIMS::Test has it
    one    a function that is given the connection string of the first database,
           and returns another one for it: both hosts are on the first database

=cut

use strict;
use warnings;

use LIMS::Instance;
use LIMS::Test;

our @ways = qw(include site macro written copies);

my $lims_conf = "$LIMS::Instance::root/conf/lims.conf";

sub new {
    my ($class, %option) = @_;
    my $self = bless { names => [ map {"lims_test_hosts_$$\_$_"} qw(a b) ] }, $class;
    my $name = "hosts-$option{way}-$$";

    LIMS::Instance::create_database($self->{names}[0]);
    my $first = $self->_client(0);
    $first->{fixture} = $first->organization(code => 'test-laboratory');
    $first->{key} = $first->{fixture}{key};
    $first->forget_handles;
    $self->_copy_database unless $option{one};
    $self->{ports} = [ map { LIMS::Instance::reserve_port() } 0, 1 ];
    my @strings = map { LIMS::Instance::conninfo($self->{names}[$_], 'lims_app') =~ s/ user=.*//r }
        0, 1;
    $strings[1] = $option{one}->($strings[0]) if $option{one};
    $self->{httpd} = LIMS::Test->new(name => $name, children => $option{children},
        conf => ($option{conf} || '') . "\n" . $self->_configuration($option{way}, @strings));
    $self->{hosts} = [ $first, $self->_client($option{one} ? 0 : 1) ];
    for my $i (0, 1) {
        my $host = $self->{hosts}[$i];
        @$host{qw(fixture key)} = @$first{qw(fixture key)};
        $host->{instance} = bless { %{ $self->{httpd}{instance} }, port => $self->{ports}[$i] },
            ref $self->{httpd}{instance};
    }
    return $self;
}

sub httpd { return $_[0]{httpd} }

sub all { return @{ $_[0]{hosts} } }

# Returns a client that talks with one host as if it had an httpd of its own.
sub _client {
    my ($self, $number) = @_;
    return bless { name => $self->{names}[$number], database => $self->{names}[$number],
        base => '/api/v1', contract => 0, expected => [], problems => [] }, 'LIMS::Test';
}

sub _copy_database {
    my ($self) = @_;
    my $admin = LIMS::Instance::connect_database('postgres', 'postgres');

    $admin->do("DROP DATABASE IF EXISTS $self->{names}[1] WITH (FORCE)");
    $admin->do("CREATE DATABASE $self->{names}[1] TEMPLATE $self->{names}[0]");
    $admin->do("REVOKE TEMPORARY ON DATABASE $self->{names}[1] FROM PUBLIC");
    $admin->disconnect;
    return;
}

sub finish {
    my ($self) = @_;

    $_->forget_handles for $self->all;
    delete $_->{client} for $self->all;
    my $clean = $self->{httpd}->finish;
    LIMS::Instance::drop_database($_) for @{ $self->{names} };
    return $clean;
}

# --- The ways ----------------------------------------------------------------

sub _configuration {
    my ($self, $way, @strings) = @_;
    my @hosts = map { {
        name => "$_.lab.example", database => $strings[ $_ eq 'b' ],
        port => $self->{ports}[ $_ eq 'b' ] } } qw(a b);
    my $write = $self->can("_$way") or die "no way $way\n";
    my @listen = map {"Listen 127.0.0.1:$_->{port} https\n"} @hosts;
    my @saved = qw(LIMS_DATABASE LIMS_SERVER_NAME LIMS_PORT LIMS_CERTIFICATE LIMS_CERTIFICATE_KEY);

    # The host of LIMS::Test itself comes after them, as it would without them.
    return join '', @listen, (map {"Define OWN_$_ \"\${$_}\"\n"} @saved), $self->$write(@hosts),
        (map {"Define $_ \"\${OWN_$_}\"\n"} @saved);
}

sub _defined {
    my ($host) = @_;
    return qq(Define LIMS_DATABASE "$host->{database}"\nDefine LIMS_SERVER_NAME $host->{name}\n)
        . "Define LIMS_PORT $host->{port}\n";
}

sub _include {
    my ($self, @hosts) = @_;
    return join '', map { _defined($_) . qq(Include "$lims_conf"\n) } @hosts;
}

sub _load_macro {
    my $modules = LIMS::Instance::run('apxs', '-q', 'LIBEXECDIR') =~ s/\s+\z//r;
    return qq(LoadModule macro_module "$modules/mod_macro.so"\n);
}

sub _site {
    my ($self, @hosts) = @_;
    return join '', _load_macro(), qq(Define LIMS_CONF "$lims_conf"\n),
        qq(Include "$LIMS::Instance::root/conf/lims-site.conf"\n),
        map { "Define LIMS_PORT $_->{port}\n"
            . qq(Use LimsSite $_->{name} "$_->{database}" "\${LIMS_CERTIFICATE}")
            . qq( "\${LIMS_CERTIFICATE_KEY}"\n) } @hosts;
}

# Splits conf/lims.conf into its head and its host, with placeholders for what differs
# from host to host.
sub _parts {
    my ($before, $host) = LIMS::Instance::_slurp($lims_conf)
        =~ m{\A(.*?)^(<VirtualHost.*?^</VirtualHost>\n)}ms;
    return ($before, $host =~ s/\$\{(LIMS_(?:DATABASE|SERVER_NAME|PORT))\}/\@\@$1\@\@/gr);
}

sub _filled {
    my ($text, $host) = @_;
    return $text =~ s/\@\@LIMS_DATABASE\@\@/$host->{database}/gr
        =~ s/\@\@LIMS_SERVER_NAME\@\@/$host->{name}/gr =~ s/\@\@LIMS_PORT\@\@/$host->{port}/gr;
}

sub _macro {
    my ($self, @hosts) = @_;
    my ($before, $text) = _parts();
    my $own = _filled($text, { database => '$database', name => '$name', port => '$port' });

    return join '', _load_macro(), $before, "<Macro Own \$name \$port \$database>\n$own</Macro>\n",
        map {qq(Use Own $_->{name} $_->{port} "$_->{database}"\n)} @hosts;
}

sub _written {
    my ($self, @hosts) = @_;
    my ($before, $text) = _parts();
    return join '', $before, map { _filled($text, $_) } @hosts;
}

sub _copies {
    my ($self, @hosts) = @_;
    my $folder = $LIMS::Instance::cluster;

    return join '', map {
        my $file = "$folder/$_->{name}.conf";
        open my $out, '>', $file or die "$file: $!\n";
        print {$out} LIMS::Instance::_slurp($lims_conf);
        close $out;
        _defined($_) . qq(Include "$file"\n);
    } @hosts;
}

1;
