#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# `apachectl configtest` finds missing and wrong settings, all at once and each with its
# remedy, and accepts correct ones.
use strict;
use warnings;

use File::Temp qw(tempdir);
use LIMS::Instance;
use LIMS::Peers::ModelService;
use LIMS::Test;

my @places  = (qw(/usr/sbin /usr/local/sbin), split /:/, $ENV{PATH});
my ($httpd) = grep { -x } map {"$_/apache2"} @places;
my $modules = LIMS::Instance::run('apxs', '-q', 'LIBEXECDIR') =~ s/\s+\z//r;
my $module  = LIMS::Instance::out() . '/mod_lims.so';
my $dir     = tempdir(CLEANUP => 1);
LIMS::Instance::start_cluster();    # which makes the certificates
my $database = 'host=/nowhere dbname=lims user=lims_app';
my $tls = LIMS::Instance::home($LIMS::Instance::cluster) . '/tls';

# (exit status, output) of a configuration test. Options: without => [modules],
# host => lines of the virtual host besides or instead, before => lines before it,
# others => further hosts.
sub configtest {
    my (%option) = @_;
    my %without = map { $_ => 1 } @{ $option{without} || [] };
    my %line    = (
        SSLEngine             => 'SSLEngine on',
        SSLCertificateFile    => "SSLCertificateFile \"$tls/server.pem\"",
        SSLCertificateKeyFile => "SSLCertificateKeyFile \"$tls/server.key\"",
        DBDriver              => 'DBDriver pgsql',
        DBDParams             => qq(DBDParams "$database connect_timeout=2"),
        LimsEnable            => 'LimsEnable on',
        %{ $option{host} || {} },
    );
    my @loaded = grep { !$without{$_} } qw(mpm_event authz_core dbd socache_shmcb ssl);
    open my $out, '>', "$dir/httpd.conf" or die "httpd.conf: $!\n";
    print {$out} "ServerRoot \"$dir\"\nServerName localhost\nListen 127.0.0.1:9\n",
        "PidFile \"$dir/pid\"\nErrorLog \"$dir/error.log\"\n",
        (map {qq(LoadModule ${_}_module "$modules/mod_$_.so"\n)} @loaded),
        qq(LoadModule lims_module "$module"\n),
        (map {"$_\n"} @{ $option{before} || [] }),
        (map { _host($_, \%line) } @{ $option{others} || [] }),
        "<VirtualHost *:9>\n", (map {"    $line{$_}\n"} grep { defined $line{$_} } sort keys %line),
        "</VirtualHost>\n";
    close $out;
    unlink "$dir/error.log";
    # Preload for a module that is built with sanitizers.
    local $ENV{LD_PRELOAD} = $ENV{LIMS_PRELOAD} || '';
    return LIMS::Instance::capture($httpd, '-t', '-d', $dir, '-f', "$dir/httpd.conf");
}

# A further host, before that of the test: { address =>, directive => line }, otherwise as it.
sub _host {
    my ($other, $line) = @_;
    my %its = (%$line, %$other);
    my $address = delete $its{address} || '*:9';

    return "<VirtualHost $address>\n", (map {"    $its{$_}\n"} grep { defined $its{$_} } sort keys %its),
        "</VirtualHost>\n";
}

sub passes {
    my ($name, %option) = @_;
    my ($status, $output) = configtest(%option);

    is($status, 0, $name) or diag($output);
    like($output, qr/Syntax OK/, "$name: the syntax is OK");
    unlike($output, qr/LIMS\d{4}/, "$name: configtest has no message of ours");
    return;
}

sub fails {
    my ($name, $patterns, %option) = @_;
    my ($status, $output) = configtest(%option);

    isnt($status, 0, $name);
    like($output, $_, "$name: the output has $_") for @$patterns;
    my $lines = () = $output =~ /LIMS\d{4}:/g;
    is($lines, scalar @$patterns, "$name: there is no further line") if $patterns->[0] =~ /LIMS/;
    unlike($output, qr/Segmentation|Assertion|core dump/i, "$name: httpd does not crash");
    return;
}

my %no_tls = (SSLEngine => undef, SSLCertificateFile => undef, SSLCertificateKeyFile => undef);
my %no_dbd = (DBDriver => undef, DBDParams => undef);

subtest 'correct configurations pass' => sub {
    passes('the whole configuration');
    passes('behind a proxy, without mod_ssl', without => ['ssl'],
        host => { %no_tls, LimsTLS => 'LimsTLS proxy' });
    passes('a server without the service needs none of it', without => [ 'ssl', 'dbd' ],
        host => { %no_tls, %no_dbd, LimsEnable => undef });
    passes('one where it is off', without => [ 'ssl', 'dbd' ],
        host => { %no_tls, %no_dbd, LimsEnable => 'LimsEnable off' });
    passes('variables in the directives of others',
        before => [ 'Define ENGINE on', 'Define DRIVER pgsql',
            qq(Define PARAMS "$database connect_timeout=2") ],
        host   => { SSLEngine => 'SSLEngine ${ENGINE}', DBDriver => 'DBDriver ${DRIVER}',
            DBDParams => 'DBDParams "${PARAMS}"' });
    passes('the database for the whole server',
        before => [ 'DBDriver pgsql', qq(DBDParams "$database connect_timeout=2") ],
        host   => {%no_dbd});
};

subtest 'missing directives and modules' => sub {
    fails('no mod_dbd', [qr/LIMS0101: mod_dbd is not loaded; .*a2enmod dbd/],
        without => ['dbd'], host => {%no_dbd});
    fails('no DBDriver', [qr/LIMS0102: DBDriver is not pgsql; set "DBDriver pgsql"/],
        host => { DBDriver => undef });
    fails('no DBDParams', [qr/LIMS0103: DBDParams is missing; set it to .*connection string/],
        host => { DBDParams => undef });
    fails('no mod_ssl', [qr/LIMS0105: mod_ssl is not loaded.*; .*a2enmod ssl.*LimsTLS proxy/],
        without => ['ssl'], host => {%no_tls});
    fails('TLS is off', [qr/LIMS0106: SSLEngine is off.*; set "SSLEngine on".*LimsTLS proxy/],
        host => { SSLEngine => 'SSLEngine off' });
    fails('TLS is not mentioned', [qr/LIMS0106: /], host => {%no_tls});
    fails('TLS is off by a variable', [qr/LIMS0106: /], before => ['Define ENGINE off'],
        host => { SSLEngine => 'SSLEngine ${ENGINE}' });
};

subtest 'directives that contradict each other' => sub {
    my %rates = (LimsRateKeys => 'LimsRateKeys 100000', LimsRateLimit => 'LimsRateLimit 5000');
    fails('a rate limit that takes gigabytes',
        [qr/LIMS0109: LimsRateKeys x LimsRateLimit .*; keep LimsRateKeys x .* below 1 GiB/],
        host => {%rates});
    passes('half as much of each', host => { LimsRateKeys => 'LimsRateKeys 50000',
            LimsRateLimit => 'LimsRateLimit 2500' });
};

subtest 'what the application needs' => sub {
    my ($headers, $remoteip) = map {qq(LoadModule ${_}_module "$modules/mod_$_.so")}
        qw(headers remoteip);
    my %on = (LimsApplication => 'LimsApplication on');
    my %behind = (%on, %no_tls, LimsTLS => 'LimsTLS proxy');

    passes('its header fields', before => [$headers], host => {%on});
    fails('no mod_headers', [qr/LIMS0131: mod_headers is not loaded.*; .*a2enmod headers/],
        host => {%on});
    passes('the addresses of clients behind a proxy', without => ['ssl'],
        before => [ $headers, $remoteip ], host => {%behind});
    fails('no mod_remoteip', [qr/LIMS0132: mod_remoteip is not loaded.*; .*a2enmod remoteip/],
        without => ['ssl'], before => [$headers], host => {%behind});
};

subtest 'how people sign in' => sub {
    my @modules = map {qq(LoadModule ${_}_module "$modules/mod_$_.so")}
        qw(headers authn_core authn_file authn_socache ldap authnz_ldap);
    my %on = (LimsApplication => 'LimsApplication on', LimsSignIn => 'LimsSignIn httpd',
        LimsSignInOrganizations => 'LimsSignInOrganizations cedar',
        LimsSignInTypes         => 'LimsSignInTypes openid-connect');
    my %ldap = (%on, LimsSignInProvider => 'LimsSignInProvider ldap',
        LimsSignatureProvider => 'LimsSignatureProvider ldap');

    passes('by a module of httpd', before => \@modules, host => {%on});
    fails('of any organization', [qr/LIMS0133: .*; set LimsSignInOrganizations/],
        before => \@modules, host => { %on, LimsSignInOrganizations => undef });
    fails('by nothing', [qr/LIMS0133: .*LimsSignInTypes or LimsSignInProvider/],
        before => \@modules, host => { %on, LimsSignInTypes => undef });
    passes('by a directory', before => [ @modules, 'LDAPCacheEntries 0' ],
        host => { %ldap, LimsSignInTypes => undef });
    fails('signing by a directory whose answers are kept',
        [qr/LIMS0135: LimsSignatureProvider ldap may answer from a cache; .*LDAPCacheEntries 0/],
        before => \@modules, host => {%ldap});
    fails('signing by a cache under another name', [qr/LIMS0135: LimsSignatureProvider kept /],
        before => [ @modules, '<AuthnProviderAlias socache kept>', '</AuthnProviderAlias>' ],
        host   => { %on, LimsSignatureProvider => 'LimsSignatureProvider kept' });
    fails('a provider that no module has',
        [qr/LIMS0134: LimsSignInProvider names no authentication provider: dbm; load/],
        before => \@modules, host => { %on, LimsSignInProvider => 'LimsSignInProvider dbm' });
    fails('a provider beside passwords alone', [qr/LIMS0136: .*; set "LimsSignIn httpd"/],
        before => \@modules,
        host   => { %on, LimsSignIn => undef, LimsSignInProvider => 'LimsSignInProvider file' });
    fails('an alias without its module', [qr/Invalid command '<AuthnProviderAlias'/],
        before => [ '<AuthnProviderAlias file staff>', '</AuthnProviderAlias>' ]);
};

subtest 'the file of secret keys' => sub {
    my $file = "$dir/secret.key";
    my %host = (LimsSecretKeyFile => 'LimsSecretKeyFile secret.key');

    fails('none of that name', [qr/LIMS0114: LimsSecretKeyFile: there is no file \Q$file\E: "limsctl secret-key"/],
        host => {%host});
    LIMS::Instance::run(LIMS::Instance::out() . '/limsctl', 'secret-key', '--secret-key-file', $file);
    passes('one that limsctl made', host => {%host});
    chmod 0640, $file;
    fails('open to a group', [qr/LIMS0114: .*open to others than its owner: "chmod 600" it/],
        host => {%host});
    open my $out, '>', $file or die "$file: $!\n";
    print {$out} "not-a-key hush-hush\n";
    close $out;
    chmod 0600, $file;
    my (undef, $output) = configtest(host => {%host});
    like($output, qr/LIMS0114: .*secret\.key, line 1: a line is/, 'one that holds no key');
    unlike($output, qr/hush-hush/, 'the content of a file without a key is not shown');
};

my %model = (LimsExtractionUrl => 'LimsExtractionUrl https://models.example.org/v1/messages',
    LimsExtractionModel => 'LimsExtractionModel some-model');

subtest 'the model service' => sub {
    my %host = %model;

    passes('a URL and a model', host => {%host});
    passes('on this machine without TLS', host => { %host,
            LimsExtractionUrl => 'LimsExtractionUrl http://localhost:8080/v1/chat/completions' });
    passes('azure names its model in the URL', host => { %host, LimsExtractionModel => undef,
            LimsExtractionStyle => 'LimsExtractionStyle azure' });
    fails('results in the clear', [qr/LIMS0117: LimsExtractionUrl .*; .*https/], host => { %host,
            LimsExtractionUrl => 'LimsExtractionUrl http://models.example.org/v1/messages' });
    fails('no URL', [qr/LIMS0117: LimsExtractionUrl /],
        host => { %host, LimsExtractionUrl => 'LimsExtractionUrl models' });
    fails('no model', [qr/LIMS0117: LimsExtractionModel is missing; name the model/],
        host => { %host, LimsExtractionModel => undef });
    fails('a certificate without its key', [qr/LIMS0117: .*one is missing; set both/],
        host => { %host, LimsExtractionClientCertificate =>
                "LimsExtractionClientCertificate $tls/server.pem" });
    fails('certificates that are not there', [qr/LIMS0117: .*nowhere\.pem cannot be read/],
        host => { %host, LimsExtractionCAFile => 'LimsExtractionCAFile nowhere.pem' });
    my ($pem, $key) = LIMS::Peers::ModelService->identity($dir, 'client');
    my (undef, $others) = LIMS::Peers::ModelService->identity($dir, 'other');
    my $pair = sub {
        my ($certificate, $its) = @_;
        return { %host, LimsExtractionClientCertificate =>
                "LimsExtractionClientCertificate $certificate",
            LimsExtractionClientKey => "LimsExtractionClientKey $its" };
    };
    passes('a certificate of ours', host => $pair->($pem, $key));
    fails('the key of another', [qr/LIMS0117: .*is not the key of/], host => $pair->($pem, $others));
    fails('no certificate', [qr/LIMS0117: LimsExtractionClientCertificate: it holds no cert/],
        host => $pair->($key, $key));
    fails('no key', [qr/LIMS0117: LimsExtractionClientKey: there is no file/],
        host => $pair->($pem, 'nowhere.key'));
    fails('no file', [qr/LIMS0117: LimsExtractionClientCertificate: .*nowhere\.pem cannot be read/],
        host => $pair->('nowhere.pem', $key));
    LIMS::Instance::run('openssl', 'ec', '-aes256', '-passout', 'pass:hush-hush', '-in', $key,
        '-out', "$dir/locked.key");
    chmod 0600, "$dir/locked.key";
    fails('a key under a password', [qr/LIMS0117: LimsExtractionClientKey: .*under a password/],
        host => $pair->($pem, "$dir/locked.key"));
    chmod 0644, $key;
    fails('a key for all', [qr/LIMS0117: LimsExtractionClientKey: .*open to others/],
        host => $pair->($pem, $key));
    my $proxy = sub { return { %host, @_ > 1 ? (LimsExtractionUrl => "LimsExtractionUrl $_[1]") : (),
            LimsExtractionProxy => "LimsExtractionProxy $_[0]" } };
    passes("the proxy $_", host => $proxy->($_))
        for qw(http://proxy.example.org:3128 https://user:word@proxy.example.org/ http://[::1]:3128);
    fails("the proxy $_", [qr/LIMS0117: LimsExtractionProxy is not the URL of a proxy; name/],
        host => $proxy->($_))
        for qw(proxy.example.org:3128 socks5://proxy.example.org http://proxy.example.org/path);
    fails('a proxy that could read', [qr/LIMS0117: LimsExtractionUrl is http, so LimsExtractionProxy could read .*; leave it out/],
        host => $proxy->('http://proxy.example.org:3128', 'http://localhost:8080/v1/chat/completions'));
};

subtest 'the key of the model service' => sub {
    my %host = (%model, LimsExtractionKeyFile => 'LimsExtractionKeyFile extraction.key');
    my $file = "$dir/extraction.key";
    my $text = sub {
        open my $out, '>', $file or die "$file: $!\n";
        print {$out} $_[0];
        close $out;
        chmod 0600, $file;
    };

    fails('no key file', [qr/LIMS0117: LimsExtractionKeyFile: there is no file/], host => {%host});
    $text->("sk-hush\n");
    passes('a key in a file of its own', host => {%host});
    chmod 0644, $file;
    fails('open to all', [qr/LIMS0117: .*open to others/], host => {%host});
    $text->("sk-hush sk-hush\n");
    my (undef, $output) = configtest(host => {%host});
    like($output, qr/LIMS0117: .*does not hold one key/, 'two keys');
    unlike($output, qr/sk-hush/, 'a file with two keys is not shown');
};

subtest 'style and bounds of the model service' => sub {
    fails('another style', [qr/LimsExtractionStyle: one of openai, azure, anthropic/],
        host => { LimsExtractionStyle => 'LimsExtractionStyle gopher' });
    my %wrong = (
        ConnectTimeout => [ 9,     'milliseconds from 10 to 60000' ],
        Timeout        => [ 1,     'milliseconds from 100 to 600000' ],
        Concurrency    => [ 0,     'files from 1 to 256' ],
        Looks          => [ 3,     'looks from 1 to 2' ],
        MaxBytes       => [ 'all', 'bytes from 1024' ],
        MaxRows        => [ 0,     'rows from 1' ],
        MaxCells       => [ -1,    'cells from 1' ],
        StructuredOutput => [ 'xml', 'one of json_schema, tool, json_object, none' ],
    );
    for my $name (sort keys %wrong) {
        my ($value, $expected) = @{ $wrong{$name} };
        fails("LimsExtraction$name $value", [qr/LimsExtraction$name: $expected/],
            host => { "LimsExtraction$name" => "LimsExtraction$name $value" });
    }
};

subtest 'all problems are reported at once' => sub {
    fails('no module at all',
        [ qr/LIMS0101: mod_dbd is not loaded/, qr/LIMS0105: mod_ssl is not loaded/ ],
        without => [ 'dbd', 'ssl' ], host => { %no_tls, %no_dbd });
    fails('no setting at all',
        [ qr/LIMS0102: DBDriver/, qr/LIMS0103: DBDParams/, qr/LIMS0106: SSLEngine/,
            qr/LIMS0109: LimsRateKeys/ ],
        host => { %no_tls, %no_dbd, LimsRateKeys => 'LimsRateKeys 1000000',
            LimsRateLimit => 'LimsRateLimit 100000' });
};

# The bounds of conf/reference.conf's manual, said again: [name, least, most].
my @numbers = (
    [ 'LimsMaxBody',             1024, 67108864 ],
    [ 'LimsRateLimit',           1,    100000 ],
    [ 'LimsRateWindow',          1,    3600 ],
    [ 'LimsRateKeys',            16,   1000000 ],
    [ 'LimsDatabaseWait',        1,    60000 ],
    [ 'LimsIdempotencyLifetime', 1,    2592000 ],
    [ 'LimsKeyTouchInterval',    1,    86400 ],
);

for my $number (@numbers) {
    my ($name, $min, $max) = @$number;
    subtest $name => sub {
        # The limit's memory is bounded besides: few keys, so that it is not met.
        passes("$_ is in range", host => { LimsRateKeys => 'LimsRateKeys 16', $name => "$name $_" })
            for $min, $max;
        for my $bad ($min - 1, $max + 1, -1, 'many', "${min}k", '1.5', '0x10', '9' x 30) {
            fails("$bad is not", [qr/\Q$name\E: \w+ from $min to $max/],
                host => { $name => "$name $bad" });
        }
        fails('it takes one', [qr/\Q$name\E takes one argument/],
            host => { $name => "$name 20 30" });
    };
}

subtest 'directives that take words' => sub {
    fails("LimsTLS $_", [qr/LimsTLS: required .* or proxy/], host => { LimsTLS => "LimsTLS $_" })
        for qw(on off maybe);
    passes("LimsTLS $_", host => { LimsTLS => "LimsTLS $_" }) for qw(required Required proxy);
    fails("LimsBasePath $_", [qr/LimsBasePath: a plain path that begins with a slash/],
        host => { LimsBasePath => "LimsBasePath $_" })
        for 'lab', 'https://lab.example', '/a//b', '/%41';
    passes("LimsBasePath $_", host => { LimsBasePath => "LimsBasePath $_" })
        for '/lab', '/a/b/', '/';
    fails('LimsEnable perhaps', [qr/LimsEnable must be On or Off/],
        host => { LimsEnable => 'LimsEnable perhaps' });
};

subtest 'a virtual host takes from the main server what it does not set itself' => sub {
    my $late = qr/LIMS0115: LimsWebhookLease is too short/;
    fails('a number', [$late], before => ['LimsWebhookTimeout 60000']);
    passes('a number of the host takes the place of the main server\'s', before => ['LimsWebhookTimeout 60000'],
        host => { LimsWebhookTimeout => 'LimsWebhookTimeout 10000' });
    passes('a word', before => ['LimsTLS proxy'], host => {%no_tls});
    fails('a word of the host takes the place of the main server\'s', [qr/LIMS0106: /], before => ['LimsTLS proxy'],
        host => { %no_tls, LimsTLS => 'LimsTLS required' });
    my @url = ('LimsExtractionUrl http://localhost:1/v1');
    fails('a text', [qr/LIMS0117: LimsExtractionModel is missing/], before => \@url);
    passes('texts in several directives pass', before => [ @url, 'LimsExtractionModel m' ]);
    fails('a text of the host takes the place of the main server\'s', [qr/LIMS0117: LimsExtractionUrl is not a URL/],
        before => [ @url, 'LimsExtractionModel m' ],
        host   => { LimsExtractionUrl => 'LimsExtractionUrl http://elsewhere.example/v1' });
};

subtest 'where directives may stand' => sub {
    fails('not in a directory', [qr/LimsEnable not allowed (?:here|in)/],
        before => [ '<Directory "/">', 'LimsEnable on', '</Directory>' ]);
    fails('not in a location', [qr/LimsRateLimit not allowed (?:here|in)/],
        before => [ '<Location "/api">', 'LimsRateLimit 5', '</Location>' ]);
};

subtest 'time-outs that would hold requests for minutes' => sub {
    my ($status, $output) = configtest(
        host => { DBDParams => qq(DBDParams "$database") });

    is($status, 0, 'a database without connect_timeout is allowed');
    like($output, qr/\[lims:warn\] .*LIMS0130: .*add connect_timeout=2/,
        'a database without connect_timeout is warned of');
};

subtest 'a malformed connection string' => sub {
    fails('a keyword that there is not',
        [qr/LIMS0360: DBDParams: invalid connection option "hots"; correct .* \(host localhost:9\)/],
        host => { DBDParams => 'DBDParams "hots=/nowhere dbname=lims connect_timeout=2"' });
    fails('a value that does not end', [qr/LIMS0360: DBDParams: unterminated quoted string/],
        host => { DBDParams => q(DBDParams "host='/nowhere dbname=lims connect_timeout=2") });
};

my %named = (ServerName => 'ServerName lims.lab.example');
my %beta  = (ServerName => 'ServerName beta.lab.example');
my %other = (DBDParams => 'DBDParams "host=/nowhere dbname=other connect_timeout=2"');

subtest 'several virtual hosts' => sub {
    passes('two names', host => {%named}, others => [ { %beta, %other } ]);
    passes('two ports', host => {%named}, others => [ { %named, %other, address => '*:10' } ]);
    fails('one name at one port, twice',
        [qr/LIMS0361: two virtual hosts have this name and port.*; .*<IfDefine.*\(host lims\.lab\.example:9\)/],
        host => {%named}, others => [ { %named, %other } ]);
    passes('a host without the service may have the same name and port', host => {%named},
        others => [ { %named, %other, LimsEnable => 'LimsEnable off' } ]);
    passes('one without TLS that is the door of another', host => {%named},
        others => [ { %named, %no_tls, address => '*:10' } ]);
    fails('one without TLS beside one of another name', [qr/LIMS0106: .*beta\.lab\.example:10/],
        host => {%named}, others => [ { %beta, %no_tls, address => '*:10' } ]);
    fails('one without TLS beside one of another database', [qr/LIMS0106: .*lims\.lab\.example:10/],
        host => {%named}, others => [ { %named, %other, %no_tls, address => '*:10' } ]);
    fails('each is named', [ qr/LIMS0102: .*\(host lims\.lab\.example:9\)/,
            qr/LIMS0103: .*\(host beta\.lab\.example:9\)/ ],
        host => { %named, DBDriver => undef }, others => [ { %beta, DBDriver => 'DBDriver pgsql', DBDParams => undef } ]);
    my ($status, $output) = configtest(host => {%named},
        others => [ { %beta, LimsRateLimit => 'LimsRateLimit 60' } ]);
    is($status, 0, 'one database with two rate limits is allowed');
    like($output, qr/\[lims:warn\] .*LIMS0362: .*lims.* and .*beta.* serve the database lims\@\/nowhere:5432/,
        'two rate limits on one database are warned of');
};

subtest 'directives of other modules, without them' => sub {
    fails('SSLEngine', [qr/Invalid command 'SSLEngine'/], without => ['ssl'],
        host => { SSLCertificateFile => undef, SSLCertificateKeyFile => undef });
    fails('DBDParams', [qr/Invalid command 'DBDParams'/], without => ['dbd'],
        host => { DBDriver => undef });
};

done_testing();
