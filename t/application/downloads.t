#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Files in the application are answered as attachments that no browser shows or runs,
# whatever they are called and have in them; in CSV no cell is a formula; text that people
# wrote comes back as it was written, as JSON.
use strict;
use warnings;

use MIME::Base64 qw(encode_base64);

use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;

my $lims   = LIMS::Test->new;
my $lab    = LIMS::Service::Laboratory->new($lims);
my $ana    = LIMS::Service::Person->new($lims, roles => ['lab_manager']);
my $sample = $lab->sample;
my $on     = { table => 'sample', id => $sample->{id} };
my $markup = '<script>alert(1)</script><svg onload=alert(2)>';

sub attached {
    my ($name, $bytes) = @_;
    return $ana->post('/attachments', { on => $on, fileName => $name, mediaType => 'text/html',
            contentBase64 => encode_base64($bytes, '') })->json->{id};
}

# As a plain link asks: without what a page of ours sends.
sub link_to {
    my ($path, %option) = @_;
    return $ana->request($option{method} // 'GET', $path, session => undef, page => 0);
}

subtest 'an attachment' => sub {
    my $bytes = "$markup\0\xff" x 1000;
    my $id    = attached("evil\x{202e}\"; x=\x{e9}.html", $bytes);
    my $file  = link_to("/attachments/$id/content");

    is($file->status, 200, 'a plain link leads to it');
    ok($file->body eq $bytes, 'the bytes are unchanged');
    my %header = map { $_ => scalar $file->header($_) } qw(Content-Type Content-Disposition
        X-Content-Type-Options Content-Security-Policy Cross-Origin-Resource-Policy Cache-Control);
    is_deeply(\%header, {
            'Content-Type' => 'application/octet-stream',
            'Content-Disposition' => 'attachment; filename="evil___ x=__.html"; '
                . q{filename*=UTF-8''evil___%20x%3D%C3%A9.html},
            'X-Content-Type-Options' => 'nosniff',
            'Content-Security-Policy' => q{sandbox; default-src 'none'},
            'Cross-Origin-Resource-Policy' => 'same-origin', 'Cache-Control' => 'no-store',
        }, 'nothing in a browser shows it, runs it or guesses what it is');
    for my $name ('picture.svg', 'report.pdf', 'page.xhtml') {
        my $other = link_to('/attachments/' . attached($name, $bytes) . '/content');
        is_deeply({ %header, map { $_ => scalar $other->header($_) } grep { !/Disposition/ }
                keys %header }, \%header, "$name is not shown in the browser");
        like($other->header('Content-Disposition'), qr/\Aattachment; filename="$name"/,
            "$name is saved, not opened");
    }
    my $head = link_to("/attachments/$id/content", method => 'HEAD');
    is_deeply([ $head->status, scalar $head->header('Content-Length'), $head->body // '' ],
        [ 200, length $bytes, '' ], 'HEAD says how long it is');
    like(link_to('/attachments/' . attached('../../.profile', 'x') . '/content')
            ->header('Content-Disposition'), qr/filename="_\._\.\._\.profile"/, 'a path is none');
};

subtest 'who gets it' => sub {
    my $id    = attached('a.txt', 'x');
    my $guest = LIMS::Service::Person->new($lims, roles => ['client_viewer']);
    my $there = LIMS::Service::Person->new($lims,
        organization => $lims->organization(code => 'elsewhere'));

    refused($ana->get("/attachments/$id/content", cookie => undef, session => undef), 401,
        'unauthorized', 'nobody without a session');
    refused($guest->get("/attachments/$id/content"), 403, 'permission_required',
        'nobody without the permission');
    refused($there->get("/attachments/$id/content"), 404, 'not_found',
        'nobody of another organization');
    refused($ana->get("/attachments/$id/content", session => $ana->session + 1), 401,
        'session_changed', 'a page that names another session');
};

subtest 'CSV' => sub {
    my %cell = ('=1+2' => q{'=1+2}, '@SUM(A1)' => q{'@SUM(A1)}, "\tx" => qq{'\tx},
        '-cmd' => q{'-cmd}, '+1+1' => q{'+1+1}, '-0.5' => '-0.5', '<0.10' => '<0.10',
        '+1.5e-3' => '+1.5e-3', 'a,"b"' => 'a,""b""', $markup => $markup);
    my @written = sort keys %cell;
    $ana->patch('/samples/' . $lab->sample->{id}, { notes => $_ }) for @written;
    my $csv = link_to('/samples/export');

    is($csv->status, 200, 'a list downloads by a plain link');
    like($csv->header('Content-Disposition'), qr/\Aattachment; filename="samples\.csv"/,
        'the list is sent as an attachment');
    for my $text (@written) {
        like($csv->body, qr/(?:\A|[,\n])"\Q$cell{$text}\E"(?:,|\r)/, "a cell: $text");
    }
};

subtest 'stored markup' => sub {
    my $comment = $ana->post('/comments', { on => $on, text => $markup });

    is($comment->json->{text}, $markup, 'comes back as it was written');
    is($comment->header('Content-Type'), 'application/json', 'a comment is sent as JSON');
    is($comment->header('X-Content-Type-Options'), 'nosniff', 'the media type of a comment may not be guessed');
};

done_testing();
