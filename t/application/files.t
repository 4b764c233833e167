#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Every file of the application's OpenAPI document: what people sent, and every list, is an
# attachment that no browser shows, runs or guesses about; a PDF of the service is shown alone.
# In no CSV file is a cell a formula, whatever stands in the database. A new file, or a path
# whose record is not found here, has to be added.
use strict;
use warnings;

use MIME::Base64 qw(encode_base64);

use LIMS::Database::Markup;
use LIMS::Instance;
use LIMS::Print qw(png);
use LIMS::Service::OpenAPI;
use LIMS::Service::Person;
use LIMS::Service::Roles;
use LIMS::Test;
use LIMS::Test::Printer;

my $lims = LIMS::Test->new(demo => 1, conf => LIMS::Test::Printer->real->conf);
my $db   = $lims->db;
my $us   = { id => $lims->value(q{SELECT id FROM lims.organization WHERE code = 'cedar-basin'}),
    code => 'cedar-basin' };
my $ana = LIMS::Service::Person->new($lims, organization => $us,
    roles => [ grep { $_ ne 'nobody' } keys %LIMS::Service::Roles::matrix ]);
my @why = (reason => 'a test');

sub made {
    my ($method, $path, $body) = @_;
    my $answer = $ana->request($method, $path, body => $body);
    $answer->status =~ /\A20/ or die "$path: " . $answer->body . "\n";
    return $answer->json;
}

sub id_of {
    my ($table, $where) = @_;
    return 0 + ($lims->value("SELECT max(id) FROM lims.$table WHERE organization_id = ? AND "
            . ($where // 'true'), $us->{id}) // 0);
}

# Records of which the demonstration has none.
my $sample = id_of('sample', q{status = 'received'});
made(POST => '/attachments', { on => { table => 'sample', id => $sample }, fileName => 'x.html',
        contentBase64 => encode_base64('<script>', '') });
made(POST => '/organization/logo', { contentBase64 => encode_base64(png(40, 20), ''), @why });
made(POST => '/orders', { clientId => id_of('client', 'active'),
        samples => [ { materialTypeId => id_of('material_type', 'active') } ] });
made(POST => '/qc-templates', { name => 'Any', method => 'EPA 300.0', controls => [ { type => 'LRB',
        criterion => 'maximum', upperLimit => 1, testDefinitionId => id_of('test_definition',
            q{method = 'EPA 300.0'}) } ] });
made(POST => '/panels', { code => 'WEEK', name => 'Weekly',
        testDefinitionIds => [ id_of('test_definition', 'active') ] });
my $endpoint = made(POST => '/webhook-endpoints', { name => 'ERP', url => 'https://erp.example/' })->{id};
made(POST => "/webhook-endpoints/$endpoint/test", {});

# --- The files of the document --------------------------------------------------

my $api = LIMS::Service::OpenAPI::decoded(LIMS::Instance::application_openapi());
my %table = ('qc-batches' => 'qc_batch', 'qc-series' => 'qc_series', orders => 'sample_order',
    'webhook-deliveries' => 'webhook_delivery');
my %where = ('media-lots' => 'id IN (SELECT media_lot_id FROM lims.sample_test)');
my %query = ('/labels' => "?ids=$sample", '/reference-data/export' => '?noun=clients');
# A certificate whose document is made, and the order of its sample.
my $printed = wait_until { id_of('document', q{state = 'made'}) } 60;
my ($certificate, $ordered) = $db->selectrow_array('SELECT c.id, c.sample_id FROM lims.certificate c
    JOIN lims.document d ON d.organization_id = c.organization_id AND d.certificate_id = c.id
   WHERE d.organization_id = ? AND d.id = ?', undef, $us->{id}, $printed);
$lims->superuser->begin_work;
$lims->superuser->do(q{SET LOCAL session_replication_role = 'replica'});
$lims->superuser->do('UPDATE lims.sample SET order_id = ? WHERE organization_id = ? AND id = ?',
    undef, id_of('sample_order'), $us->{id}, $ordered);
$lims->superuser->commit;

sub path_of {
    my ($template) = @_;
    my ($noun) = $template =~ m{\A/([^/]+)/\{id\}};
    my $id = !$noun ? '' : $noun eq 'certificates' ? $certificate
        : id_of($table{$noun} // $noun =~ s/s\z//r =~ tr/-/_/r, $where{$noun});
    return ($template =~ s/\{id\}/$id/r) . ($query{$template} // '');
}

# [template, whether it is a PDF of the service]
my @files;
for my $path (sort keys %{ $api->{paths} }) {
    my $get = $api->{paths}{$path}{get} or next;
    my @types = keys %{ $get->{responses}{200}{content} || {} };
    push @files, [ $path =~ s{\A/app/api}{}r, scalar grep { $_ eq 'application/pdf' } @types ]
        if grep { $_ ne 'application/json' } @types;
}
cmp_ok(scalar @files, '>', 50, scalar(@files) . ' files');

sub headers {
    my ($answer) = @_;
    return { map { $_ => scalar $answer->header($_) } qw(Content-Type X-Content-Type-Options
        Content-Security-Policy Cross-Origin-Resource-Policy) };
}

my %safe = ('X-Content-Type-Options' => 'nosniff', 'Cross-Origin-Resource-Policy' => 'same-origin');
my %as = (
    attachment => { %safe, 'Content-Type' => 'application/octet-stream',
        'Content-Security-Policy' => q{sandbox; default-src 'none'} },
    inline => { %safe, 'Content-Type' => 'application/pdf', 'Content-Security-Policy' =>
            q{default-src 'none'; object-src 'self'; frame-ancestors 'self'} },
);

subtest 'header fields' => sub {
    for my $file (@files) {
        my ($template, $is_pdf) = @$file;
        my $answer = $ana->get(path_of($template));
        my $how    = $is_pdf ? 'inline' : 'attachment';

        is($answer->status, 200, "$template: there is one") or diag($answer->body);
        like($answer->header('Content-Disposition'), qr/\A$how; filename="[\w.-]+"/,
            "$template: $how");
        is_deeply(headers($answer), $as{$how}, "$template: no browser guesses or runs anything");
    }
    my $zpl = $ana->get("/labels?ids=$sample&format=zpl");
    is_deeply(headers($zpl), $as{attachment}, 'labels for a printer are an attachment');
    my $body = $ana->get(path_of('/webhook-deliveries/{id}/body'));
    is($body->status, 200, 'the body of a delivery is shown');
    is($body->header('Content-Type'), 'application/json', 'it is sent as JSON');
    is($body->header('X-Content-Type-Options'), 'nosniff', 'its media type may not be guessed');
    like($body->header('Content-Security-Policy'), qr/\Adefault-src 'none';.*frame-ancestors 'none'/,
        'it runs and frames nothing');
};

# --- Formulas ---------------------------------------------------------------------

my @nouns = map { @{ $_->{schema}{enum} || [] } } grep { ($_->{name} // '') eq 'noun' }
    @{ $api->{paths}{'/app/api/reference-data/export'}{get}{parameters} };
my @tables = map { $_ eq '/reference-data/export'
        ? map { "/reference-data/export?noun=$_" } @nouns : path_of($_) }
    grep { m{/(?:export|sequence)\z} && $_ ne '/audit-blocks/export' } map { $_->[0] } @files;

# Returns the cells of a CSV file that a spreadsheet would work out, and how many have the text
# with an apostrophe before it.
sub formulas_in {
    my ($csv, $text) = @_;
    my @cells = $csv =~ /(?:\A|[,\n])"((?:[^"]|"")*)"/g;
    my $guarded = grep { index($_, "'$text") == 0 } @cells;
    return ($guarded, grep { /\A[=+@\t\r\n-]/ && !/\A[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?\z/i } @cells);
}

my %guarded;
for my $text ('=1+2', '+1+2', '-1+2', '@SUM(A1)', "\tx") {
    my ($written) = LIMS::Database::Markup::write($lims, $LIMS::Database::Markup::words, $text);
    my @odd;
    cmp_ok(scalar @$written, '>', 60, scalar(@$written) . " columns begin with $text");
    for my $path (@tables) {
        my $answer = $ana->get($path);
        my ($guarded, @formulas) = formulas_in($answer->body, $text);
        push @odd, "$path: " . $answer->status . ' ' . $answer->body if $answer->status != 200;
        push @odd, map { "$path: $_" } @formulas;
        $guarded{$path} += $guarded;
    }
    is(join("\n", @odd), '', "no cell is the formula $text");
}
is(join(' ', grep { !$guarded{$_} } @tables), '', 'every file has cells that would be one');
done_testing();
