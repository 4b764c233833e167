#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Comments and attachments on records: bounded, never changed or removed, of one's own
# organization; and views and names of people.
use strict;
use warnings;

use Digest::SHA qw(sha256_hex);
use File::Temp ();
use LIMS::Test;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;

my $lims    = LIMS::Test->new;
my $lab     = LIMS::Service::Laboratory->new($lims);
my $ann     = LIMS::Service::CommandLine->new($lims, 'Ann Lee', roles => ['analyst']);
my $bob     = LIMS::Service::CommandLine->new($lims, 'Bob Hale', roles => ['lab_manager']);
my $auditor = LIMS::Service::CommandLine->new($lims, 'Eve Ames', roles => ['auditor']);
my $sample  = $lab->sample;
my $other   = LIMS::Service::Laboratory->new($lims, $lims->organization(code => 'elsewhere'));
my $theirs  = $other->sample;

sub on { return sprintf '{"table":"%s","id":%s}', @_ }

# --- Comments -----------------------------------------------------------------------

my $comment = $ann->done('comment add', on => on(sample => $sample->{id}), text => 'Seal was broken.');
is_deeply($comment->{on}, { table => 'sample', id => $sample->{id} }, 'a comment names its record');
is($comment->{text}, 'Seal was broken.', 'a comment has its text');
my ($listed) = @{ $auditor->done('comment list', table => 'sample', recordId => $sample->{id})->{data} };
is($listed->{id}, $comment->{id}, 'an auditor reads it');
$auditor->refused('permission_required', 'comment add', on => on(sample => $sample->{id}), text => 'x');
$ann->refused('invalid_reference', 'comment add', on => on(sample => $theirs->{id}), text => 'x');
$ann->refused('invalid_body', 'comment add', on => on(sample => $sample->{id}), text => '  ');
$ann->refused('invalid_body', 'comment add', on => on(sample => $sample->{id}), text => 'x' x 4001);

my ($worked, $test) = $lab->worked(1);
my %noted = (sample_test => $test, qc_batch => $lab->qc_batch($test),
    reagent_lot => $lab->reagent_lot, media_lot => $lab->media_lot($test),
    investigation => $bob->done('investigation create', kind => 'complaint', title => 'Odour')->{id});
for my $table (sort keys %noted) {
    my @note = (on => on($table, $noted{$table}));
    $ann->done('comment add', @note, text => "Of a $table.");
    $ann->done('attachment add', @note, fileName => 'log.txt', contentBase64 => 'bG9n');
    is_deeply([ map { scalar @{ $bob->done("$_ list", table => $table,
                    recordId => $noted{$table})->{data} } } qw(comment attachment) ], [ 1, 1 ],
        "a comment and an attachment on a $table");
}

my $app = $lims->app_db($lims->fixture->{id}, $lims->fixture->{user_id});
ok(!eval { $app->do(q{UPDATE lims.comment SET text = 'another'}); 1 }, 'nobody changes a comment');
is($lab->value(q{SELECT changes -> 'text' ->> 'new' FROM lims.audit_entry
    WHERE table_name = 'comment' AND record_id = ?}, $comment->{id}), 'Seal was broken.',
    'the trail has the comment');

# --- Attachments --------------------------------------------------------------------

my $bytes = join '', map { chr } 0 .. 255;
my $file  = File::Temp->new;
binmode $file;
print {$file} $bytes;
close $file;
my @file = (fileName => 'photo.jpg', contentBase64 => "\@$file");

my $photo = $ann->done('attachment add', on => on(sample => $sample->{id}), @file,
    mediaType => 'image/jpeg');
is($photo->{size},   256,                'a file is attached');
is($photo->{sha256}, sha256_hex($bytes), 'the attachment has its digest');
is($lab->value('SELECT content FROM lims.attachment WHERE id = ?', $photo->{id}), $bytes,
    'the attachment has all of its bytes');
$ann->refused('invalid_reference', 'attachment add', on => on(sample => $theirs->{id}), @file);
$ann->refused('invalid_body', 'attachment add', on => on(sample => $sample->{id}),
    fileName => 'a', contentBase64 => 'no base64');
$auditor->refused('permission_required', 'attachment add', on => on(sample => $sample->{id}), @file);
$bob->refused('invalid_transition', 'attachment withdraw', $photo->{id}, reason => 'not mine');
my $withdrawn = $ann->done('attachment withdraw', $photo->{id}, reason => 'wrong bottle');
is($withdrawn->{withdrawalReason}, 'wrong bottle', 'its owner withdraws it, with a reason');
ok($withdrawn->{withdrawnAt}, 'the time of the withdrawal is kept');
$ann->refused('invalid_transition', 'attachment withdraw', $photo->{id}, reason => 'again');
ok(!eval { $app->do(q{DELETE FROM lims.attachment}); 1 }, 'nobody removes an attachment');

$lab->policy(attachment_bytes => 500);
my $full = $ann->call('attachment add', on => on(sample => $sample->{id}), @file);
is($full->{json}{code}, 'FILE_STORAGE_EXCEEDED', 'attachments are bounded by the policy');
$lab->policy(attachment_bytes => 1_000_000);
$ann->done('attachment add', on => on(sample => $sample->{id}), @file) for 2 .. 50;
$ann->refused('invalid_transition', 'attachment add', on => on(sample => $sample->{id}), @file);
is($lab->value('SELECT bytes FROM lims.attachment_storage'), 50 * 256 + 3 * keys %noted,
    'all bytes are counted once');

# --- Saved views and people ---------------------------------------------------------

my $view = $ann->done('saved-view create', name => 'Rush', page => 'samples',
    query => '?priority=rush');
is(scalar @{ $bob->done('saved-view list')->{data} }, 0, 'a view is its owner\'s');
$bob->refused('not_found', 'saved-view show', $view->{id});
$ann->refused('permission_required', 'saved-view update', $view->{id}, shared => 'true');
my $shared = $bob->done('saved-view create', name => 'Late', page => 'samples', query => '?',
    shared => 'true');
is(scalar @{ $ann->done('saved-view list', page => 'samples')->{data} }, 2,
    'a shared one is everybody\'s');
$ann->refused('permission_required', 'saved-view delete', $shared->{id});
$ann->done('saved-view delete', $view->{id});
$ann->refused('not_found', 'saved-view show', $view->{id});

$ann->refused('invalid_body', 'saved-view create', name => 'Long', page => 'samples',
    query => 'x' x 8193);
$lims->superuser->do(q{INSERT INTO lims.saved_view (organization_id, owner_id, name, page, query)
    SELECT ?, ?, 'v' || n, 'samples', '?' FROM generate_series(1, 100) n}, undef,
    $lims->fixture->{id}, $ann->{id});
$ann->refused('invalid_transition', 'saved-view create', name => 'One more', page => 'samples',
    query => '?');

my %name = map { $_->{displayName} => $_ } @{ $auditor->done('people list')->{data} };
ok($name{'Ann Lee'} && $name{'Bob Hale'}, 'everybody who reads sees the names of people');
ok(!exists $name{'Ann Lee'}{email}, 'nothing but the names of people is shown');
done_testing();
