#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Every list that people work with downloads as CSV: the same records as the list, by its
# filters, under its permission, and no secret among them; and every one prints as PDF.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;
use LIMS::Test::Printer;

my $lims = LIMS::Test->new(demo => 1, conf => LIMS::Test::Printer->real->conf);
my ($lab) = map { { id => $_->[0], code => $_->[1] } } @{ $lims->db->selectall_arrayref(
    q{SELECT id, code FROM lims.organization WHERE code = 'cedar-basin'}) };
my $all = LIMS::Service::Person->new($lims, organization => $lab, name => 'Ada Stone',
    roles => [qw(administrator lab_manager qa_officer)]);
my $clerk = LIMS::Service::Person->new($lims, organization => $lab, name => 'Ben Walsh',
    roles => ['receiving_clerk']);
my $paths = $all->get('/openapi.json')->json->{paths};

# The ids of a list, all its pages.
sub listed {
    my ($path, $query) = @_;
    my ($cursor, @ids) = (0);
    while (defined $cursor) {
        my $page = $all->get("$path?limit=100&cursor=$cursor$query")->json;
        push @ids, map { $_->{id} } @{ $page->{data} };
        $cursor = $page->{hasMore} ? $page->{nextCursor} : undef;
    }
    return \@ids;
}

# The header and the ids of a file whose first column is the id.
sub downloaded {
    my ($path, $query) = @_;
    my $file = $all->get("$path/export" . ($query =~ s/^&/?/r));
    is($file->status, 200, "$path$query: the file") or return ('', []);
    my ($head) = $file->body =~ /\A([^\r]*)\r\n/;
    return ($head, [ $file->body =~ /^"(\d+)"/mg ]);
}

my @lists = qw(samples sample-tests worklist orders approval-records certificates reagent-lots
    media-lots qc-batches qc-templates instrument-files worksheets worksheet-templates
    confirmations investigations users keys webhook-endpoints webhook-deliveries);
my %filtered = ('qc-batches' => '&qcStatus=failed', 'instrument-files' => '&status=quarantined',
    certificates => '&status=issued', users => '&active=false',
    'approval-records' => '&status=approved', investigations => '&kind=capa');

for my $noun (@lists) {
    my $path = "/$noun";
    ok($paths->{"/app/api$path/export"}, "$path: is in the document") or next;
    my ($head, $ids) = downloaded($path, '');
    is_deeply($ids, listed($path, ''), "$path: the file has the records of the list, in their order");
    unlike($head =~ s/previousSecretUntil//r, qr/secret|rawKey|password|token/i, "$path: the file has no secret");
    next unless $filtered{$noun};
    my (undef, $some) = downloaded($path, $filtered{$noun});
    is_deeply($some, listed($path, $filtered{$noun}), "$path: the file has the records that a filter leaves");
    isnt(scalar @$some, scalar @$ids, "$path: the filter leaves out some");
}

my @printed = sort grep { m{/export\.pdf\z} } keys %$paths;
cmp_ok(scalar @printed, '>', 15, scalar(@printed) . ' lists print');
is(join(' ', grep { my $list = s{\.pdf\z}{}r; !$paths->{$list} } @printed), '',
    'each that prints downloads as well');
for my $path (map { s{\A/app/api}{}r } @printed) {
    my $file = $all->get($path);
    is($file->status, 200, "$path: the document") or diag($file->body);
    is($file->header('Content-Type'), 'application/pdf', "$path: its media type");
    like($file->body, qr/\A%PDF-1\.\d.*%%EOF\s*\z/s, "$path: it is a whole PDF");
    like($file->header('Content-Disposition'), qr/\Ainline; filename="[\w-]+\.pdf"/,
        "$path: it is shown");
}
refused($clerk->get('/users/export.pdf'), 403, 'permission_required', 'a list that somebody may not read');

my ($users) = $all->get('/users/export');
like($users->header('Content-Disposition'), qr/\Aattachment; filename="users\.csv"/, 'it is called after its list');
refused($clerk->get('/users/export'), 403, 'permission_required', 'who may not read a list');
refused($all->get('/qc-batches/export?qcStatus=odd'), 400, 'invalid_query', 'a filter of no value');
refused($all->get('/qc-batches/export?limit=5'), 400, 'invalid_query', 'a page of a file');
done_testing();
