#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Review at the command line: profiles are added, tried, made active and retired; files in
# quarantine are shown, released with decisions about them, rejected with a reason, read
# again.
use strict;
use warnings;

use File::Temp;
use LIMS::Files::Instrument;
use LIMS::Service::Laboratory;
use LIMS::Test;
use MIME::Base64 qw(decode_base64 encode_base64);

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $pc   = LIMS::Files::Instrument->new($lab);
my @as   = ('--organization', 'test-laboratory', '--user', 'administrator@test-laboratory.example');
my $json = JSON::PP->new->utf8->canonical;

sub ctl { return $lims->ctl(@as, @_) }

# Returns the reasons as people read them.
sub told {
    my (undef, $output) = LIMS::Instance::capture(LIMS::Instance::out() . '/limsctl', '--database',
        $lims->conninfo, @as, @_);
    return $output;
}

sub done {
    my ($name, @command) = @_;
    my $result = ctl(@command);
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is($result->{exit}, 0, $name) or diag($result->{output});
    return $result->{json};
}

sub refused_with {
    my ($name, $words, @command) = @_;
    my $result = ctl(@command);
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    isnt($result->{exit}, 0, $name);
    like($result->{output}, $words, 'the message says why');
    return;
}

sub add {
    my (%member) = @_;
    return ('profile', 'add', '--definition', $json->encode($pc->definition(%member)));
}

subtest 'profiles' => sub {
    my $own   = File::Temp->new(SUFFIX => '.json');
    print {$own} $json->encode($pc->definition);
    close $own;
    my $first = done('added', qw(profile add --definition), "\@$own");
    is_deeply([ @$first{qw(code version status name)} ], [ 'bench', 1, 'draft', 'Bench CSV' ],
        'the profile is added as a draft');
    is_deeply($first->{definition}, $pc->definition, 'kept as it is');
    refused_with('one with a fault', qr/layout/, add(layout => 'sideways'));
    refused_with('a time zone that there is not', qr{there is no time zone .*Foo/Bar},
        add(timeZone => 'Foo/Bar'));
    refused_with('a difference for a time zone', qr/timeZone: must be a name/,
        add(timeZone => 'UTC+2'));
    refused_with('one that is no JSON', qr/invalid_body|JSON/, qw(profile add --definition {x));

    my $sample = $pc->sample('NO3');
    my $file   = $pc->csv([ $sample, 'NO3', '1.0' ]);
    my $tried  = done('tried', 'profile', 'test', $first->{id}, '--content', $file);
    is_deeply([ map { [ @$_{qw(row trackingId testCode result)} ] } @{ $tried->{readings} } ],
        [ [ 2, $sample->{trackingId}, 'NO3', '1.0' ] ], 'the trial lists the readings');
    my $kept = File::Temp->new(SUFFIX => '.csv');
    binmode $kept;
    print {$kept} $file;
    close $kept;
    for my $option (qw(--content --content-base64)) {
        is_deeply(done("tried $option", 'profile', 'test', $first->{id}, $option, "\@$kept")
            ->{readings}, $tried->{readings}, "the same of a file's own bytes, by $option");
    }
    is($lab->value('SELECT count(*) FROM lims.instrument_file'), 0,
        'trying a profile stores nothing');
    is($pc->send($file)->json->{reasons}[0]{code}, 'unknown_profile', 'a draft reads no files');

    is(done('made active', qw(profile activate), $first->{id})->{status}, 'active',
        'the profile is active');
    my $second = done('another version', add(name => 'Bench CSV, 2026'));
    is($second->{version}, 2, 'a changed profile is the next version');
    done('made active', qw(profile activate), $second->{id});
    is(done('the first', qw(profile show), $first->{id})->{status}, 'retired',
        'is retired by that');
    is_deeply([ map { $_->{version} } @{ done('listed', qw(profile list --status active))->{data} } ],
        [2], 'one version is active');
    ok(!eval { $lab->act(sub { $_[0]->do(q{UPDATE lims.instrument_profile SET definition = '{}'
        WHERE id = ?}, undef, $first->{id}) }) },
            'the definition of an active profile cannot change');
    ok(!eval { $lab->act(sub { $_[0]->do(q{UPDATE lims.instrument_profile SET status = 'draft'
        WHERE id = ?}, undef, $second->{id}) }) }, 'an active profile cannot become a draft');
    my $clerk = $lims->insert('user_account', { email => 'clerk@test.example',
        display_name => 'Clerk' });
    my $denied = $lims->ctl('--organization', 'test-laboratory', '--user', 'clerk@test.example',
        qw(profile retire), $second->{id});
    like($denied->{output}, qr/administrator/, 'an analyst may not activate a profile');
};

# Kept with this reason.
sub kept {
    my ($code, @rows) = @_;
    my $answer = $pc->send($pc->csv(@rows));
    is($answer->status, 202, "kept: $code") or diag($answer->body);
    return $answer->json->{id};
}

subtest 'listing and showing files' => sub {
    my $id   = kept('unknown_tracking_id', [ 'NOBODY', 'NO3', '1' ]);
    my $file = done('shown', qw(instrument-file show), $id);
    is_deeply([ map { "$_->{code} $_->{row} $_->{cell}" } @{ $file->{reasons} } ],
        ['unknown_tracking_id 2 NOBODY'], 'the record has the reasons');
    like(told(qw(instrument-file show), $id),
        qr/^ +message: There is no sample NOBODY\..*it may be mistyped\.$/m,
            'people see the reasons in full');
    is_deeply([ map { $_->{id} } @{ done('listed',
                qw(instrument-file list --status quarantined --reason-code unknown_tracking_id))
                ->{data} } ], [$id], 'files are listed by reason');
    my $content = done('its bytes', qw(instrument-file content), $id);
    is(decode_base64($content->{contentBase64}), $pc->csv([ 'NOBODY', 'NO3', '1' ]),
        'the bytes are unchanged');
    my $bytes  = join '', map { chr } 0 .. 255;
    my $binary = $lims->post('/instrument-ingest',
        { fileName => 'run.bin', contentBase64 => encode_base64($bytes, '') });
    is(told(qw(instrument-file content), $binary->json->{id}), $bytes,
        'without --json the bytes come as a file of their own');
};

subtest 'releasing a file' => sub {
    my ($one, $two) = map { $pc->sample('NO3') } 1 .. 2;
    my $id = kept('two of three', [ $one, 'NO3', '1' ], [ 'MISTYPED', 'NO3', '2' ],
        [ 'RINSE', 'NO3', '0' ]);
    refused_with('not without a reason', qr/--reason/, qw(instrument-file release), $id);
    my @release = ('--reason', 'bench sheet 7', 'instrument-file', 'release', $id);
    refused_with('not while something is the matter', qr/RINSE/, @release, '--aliases',
        $json->encode([ { from => 'MISTYPED', to => $two->{trackingId}, reason => 'label' } ]));
    is($pc->test($one, 'NO3')->{status}, 'pending', 'refused decisions enter nothing');
    is(done('it waits', qw(instrument-file show), $id)->{status}, 'quarantined',
        'the file is still quarantined');

    my $made = done('with all of it', @release,
        '--aliases', $json->encode([ { from => 'MISTYPED', to => $two->{trackingId},
                    reason => 'label' } ]),
        '--exclude', $json->encode([ { row => 4, reason => 'a rinse' } ]));
    is_deeply([ @$made{qw(status resolutionReason)} ], [ 'released', 'bench sheet 7' ],
        'the file is released, with its reason');
    is_deeply($made->{resolution}, { aliases => [ { from => 'MISTYPED', reason => 'label',
                to => $two->{trackingId} } ], exclude => [ { row => 4, reason => 'a rinse' } ] },
        'what was decided is on record');
    is_deeply([ map { "$_->{row} $_->{cell} $_->{trackingId}" } @{ $made->{results} } ],
        [ "2 1 $one->{trackingId}", "3 2 $two->{trackingId}" ],
            'the results have the places in the file');
    is($pc->test($two, 'NO3')->{result}, '2', 'the result is entered');
    refused_with('but once', qr/released/, @release);
    my $again = $pc->send($pc->csv([ $one, 'NO3', '1' ], [ 'MISTYPED', 'NO3', '2' ],
            [ 'RINSE', 'NO3', '0' ]));
    is($again->json->{status} . ' ' . $again->json->{duplicate}, 'imported 1',
        'the same bytes again are answered as imported');
};

subtest 'choosing a profile for a file' => sub {
    my $sample = $pc->sample('NO3');
    my $draft  = done('a second one that fits', add(code => 'bench-2', name => 'Twin'));
    done('active', qw(profile activate), $draft->{id});
    my $id = kept('ambiguous_profile', [ $sample, 'NO3', '4' ]);
    is_deeply([ map { $_->{code} } @{ done('shown', qw(instrument-file show), $id)->{reasons} } ],
        ['ambiguous_profile'], 'two profiles match');
    my $made = done('by one of them', '--reason', 'the old bench', qw(instrument-file release), $id,
        '--profile', 'bench-2');
    is("$made->{status} $made->{profileCode}", 'released bench-2',
        'the file is released under the other profile');
    done('retired', qw(profile retire), $draft->{id});
};

subtest 'rejecting a file' => sub {
    my $sample = $pc->sample('NO3');
    my @row    = ('NOBODY-2', 'NO3', '1');
    my $id     = kept('unknown_tracking_id', [@row]);
    my $made   = done('with a reason', '--reason', 'a test', qw(instrument-file reject), $id);
    is_deeply([ @$made{qw(status resolutionReason)} ], [ 'rejected', 'a test' ],
        'the file is rejected, with its reason');
    my $again = $pc->send($pc->csv([@row]));
    is($again->status . ' ' . $again->json->{status}, '200 quarantined',
        'the same bytes are no more');
    refused_with('not released', qr/rejected/, '--reason', 'x', qw(instrument-file release), $id);
    done('looked at again', '--reason', 'too soon', qw(instrument-file reopen), $id);
    is(done('it waits', qw(instrument-file show), $id)->{status}, 'quarantined',
        'the file is in quarantine again');
};

subtest 'reading a file again' => sub {
    my $sample = $lab->sample(testDefinitionIds => [ $pc->{definition}{NO3} ]);
    my $id     = kept('sample_status_not_allowed', [ $sample, 'NO3', '6' ]);
    my @again  = (qw(instrument-file reevaluate), $id);
    is(done('in vain', @again)->{status}, 'quarantined',
        'the same profile leaves the file in quarantine');
    $lab->status($sample, 'received');
    my $before = $lab->value('SELECT count(*) FROM lims.audit_entry');
    is(done('a dry run', @again, '--dry-run', 'true')->{status}, 'imported', 'says what would be');
    is($lab->value('SELECT count(*) FROM lims.audit_entry'), $before,
        'a reading in vain writes no audit entry');
    is($pc->test($sample, 'NO3')->{status}, 'pending', 'a reading in vain enters nothing');
    is(done('then', @again)->{status}, 'imported', 'the file is imported');
    is($pc->test($sample, 'NO3')->{result}, '6', 'its result is entered');
};

subtest 'reading all files again' => sub {
    my @samples = map { $lab->sample(testDefinitionIds => [ $pc->{definition}{NO3} ]) } 1 .. 12;
    my @ids     = map { kept('sample_status_not_allowed', [ $_, 'NO3', $_->{id} ]) } @samples;
    my @all     = qw(instrument-file reevaluate-all --reason-code sample_status_not_allowed);
    $lab->status($_, 'received') for @samples[ 0 .. 10 ];
    my $seen = done('a look', @all);
    is_deeply([ @$seen{qw(imported quarantined)} ], [ 11, 1 ],
        'the dry run counts what would be imported');
    is_deeply([ map { $_->{id} } @{ $seen->{files} } ], \@ids, 'the dry run lists the files');
    is($pc->test($samples[0], 'NO3')->{status}, 'pending', 'the dry run enters nothing');
    $seen = done('in earnest', @all, '--dry-run', 'false');
    is_deeply([ @$seen{qw(imported quarantined)} ], [ 11, 1 ],
        'the real run imports what the dry run said');
    is($pc->test($samples[10], 'NO3')->{result}, $samples[10]{id},
        'the last row\'s result is entered');
    is_deeply([ map { $_->{id} } @{ done('again', @all)->{files} } ], [ $ids[11] ],
        'one file stays in quarantine');
};

subtest 'golden files' => sub {
    my $sample = $pc->sample('NO3');
    my $file   = $pc->csv([ 'GOLD-1', 'NO3', '1.10' ]);
    my $sent   = $pc->send($file)->json;
    my @code   = (code => 'golden', match => { container => 'text',
            headers => [ 'Sample', 'Test', 'Value', 'Unit', 'Time' ] });
    my $row    = { trackingId => 'GOLD-1', testCode => 'NO3', result => '1.10' };
    my $golden = sub { return done('added', add(@code, goldenFiles => [@_]))->{id} };

    my $good = $golden->({ sha256 => $sent->{sha256}, rows => [$row] },
        { content => $file, rows => [$row] },
        { contentBase64 => encode_base64($file . "GOLD-2;NO3;x;;\n", ''),
            reasons => ['non_numeric'] });
    done('a profile that reads them', qw(profile activate), $good);
    my %wrong = (
        'another value' => [ { content => $file, rows => [ { %$row, result => '1.1' } ] },
            qr/goldenFiles\[0\][.]rows\[0\][.]result: is \\"1[.]1\\", but \\"1[.]10\\" is/ ],
        'a file that was never sent' => [ { sha256 => '0' x 64, rows => [$row] },
            qr/goldenFiles\[0\][.]sha256: no file/ ],
        'no base64' => [ { contentBase64 => '?', rows => [$row] },
            qr/goldenFiles\[0\][.]contentBase64: is no base64/ ],
    );
    for my $name (sort keys %wrong) {
        my $id = $golden->($wrong{$name}[0]);
        refused_with($name, $wrong{$name}[1], qw(profile activate), $id);
        is(done('shown', qw(profile show), $id)->{status}, 'draft', 'the profile stays a draft');
    }
    is(done('shown', qw(profile show), $good)->{status}, 'active',
        'beside the one that reads them');
    done('retired', qw(profile retire), $good);
};

done_testing();
