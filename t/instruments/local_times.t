#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Local times when the clocks change: a time that is skipped and one that occurs twice hold
# the file back, whichever way it comes in; for the second a profile can say which is meant.
use strict;
use warnings;

use LIMS::Files::Instrument;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $pc   = LIMS::Files::Instrument->new($lab);
my @as = ('--organization', 'test-laboratory', '--user', 'administrator@test-laboratory.example');

my $skipped = '2025-03-30T02:30:00';
my $doubled = '2025-10-26T02:30:00';

sub done {
    my ($name, @command) = @_;
    my $result = $lims->ctl(@as, @command);
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is($result->{exit}, 0, $name) or diag($result->{output});
    return $result->{json};
}

# When the test was analysed, in UTC.
sub moment_of {
    my ($sample) = @_;
    return $lab->value(q{SELECT to_char(t.analyzed_at AT TIME ZONE 'UTC', 'MM-DD HH24:MI:SS')
        FROM lims.sample_test t WHERE t.sample_id = ?}, $sample->{id});
}

# Times of the zone of the profile, or else of the organization, and the moments in UTC
# that they are.
sub imported {
    my ($name, %moment) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my %sample = map { $_ => $pc->sample('NO3') } keys %moment;
    my $answer = $pc->send($pc->csv(map { [ $sample{$_}, 'NO3', '1', undef, $_ ] } sort keys %moment));
    is($answer->status, 201, $name) or diag($answer->body);
    is_deeply({ map { $_ => moment_of($sample{$_}) } keys %sample }, \%moment,
        'the times are entered as they are');
    return;
}

# One value measured at this time, beside one at noon.
sub held {
    my ($name, $time, $words, %option) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($noon, $other) = map { $pc->sample('NO3') } 1 .. 2;
    my $file = $pc->csv([ $noon, 'NO3', '1', undef, '2025-06-01T12:00:00' ],
        [ $other, 'NO3', '2', undef, $time ]);
    for my $dry (1, 0) {
        my $answer = $pc->send($file, %option, dry_run => $dry);
        my @reasons = @{ $answer->json->{reasons} };
        is_deeply([ $answer->json->{status}, map { @$_{qw(code severity row cell)} } @reasons ],
            [ 'quarantined', 'timestamp_invalid', 'blocking', 3, $time ],
            $name . ($dry ? ', told by a dry run' : '')) or diag($answer->body);
        like($reasons[0]{message}, $words, "$name: the reason says which of both it is");
        next if $dry;
        is(moment_of($noon), undef, "$name: nothing is entered");
        return ($answer->json->{id}, $other, $noon);
    }
}

subtest 'a zone whose clocks change' => sub {
    $pc->profile(timeZone => 'Europe/Zurich');
    held("a time that is skipped, $_", $_, qr{^There is no such time in Europe/Zurich:})
        for '2025-03-30T02:00:00', $skipped, '2025-03-30T02:59:59';
    held("a time that comes twice, $_", $_, qr{^In Europe/Zurich this time comes twice: .*doubledHour})
        for '2025-10-26T02:00:00', $doubled, '2025-10-26T02:59:59.999';
    imported('times beside them, and with a zone of their own',
        '2025-03-30T01:59:59'       => '03-30 00:59:59',
        '2025-03-30T03:00:00'       => '03-30 01:00:00',
        '2025-10-26T01:59:59'       => '10-25 23:59:59',
        '2025-10-26T03:00:00'       => '10-26 02:00:00',
        '2025-10-26T02:30:00+02:00' => '10-26 00:30:00',
        '2025-10-26T02:30:00+01:00' => '10-26 01:30:00',
        '2025-03-30T02:30:00Z'      => '03-30 02:30:00');
    $pc->profile(timeZone => 'Australia/Lord_Howe');
    held('half an hour that is skipped', '2025-10-05T02:15:00', qr/no such time/);
    held('half an hour that comes twice', '2025-04-06T01:45:00', qr/comes twice/);
    imported('what is beside it', '2025-10-05T02:30:00' => '10-04 15:30:00',
        '2025-04-06T01:29:59' => '04-05 14:29:59', '2025-04-06T02:00:00' => '04-05 15:30:00');
    $pc->profile(timeZone => 'America/Santiago');
    imported('a day, whose midnight is skipped', '2025-09-07' => '09-07 04:00:00');
};

subtest 'a zone whose clocks do not change' => sub {
    for my $zone ('Asia/Kolkata', 'UTC') {
        $pc->profile(timeZone => $zone);
        imported("every time in $zone", $zone eq 'UTC'
            ? ($skipped => '03-30 02:30:00', $doubled => '10-26 02:30:00')
            : ($skipped => '03-29 21:00:00', $doubled => '10-25 21:00:00'));
    }
};

subtest 'the zone of the organization' => sub {
    $pc->profile;
    $lab->policy(time_zone => 'Europe/Zurich');
    held('a time that is skipped', $skipped, qr{no such time in Europe/Zurich});
    held('a time that comes twice', $doubled, qr{In Europe/Zurich this time comes twice});
    $lab->policy(time_zone => 'UTC');
    imported('with none such', $skipped => '03-30 02:30:00', $doubled => '10-26 02:30:00');
};

subtest 'a profile that says which of the two times is meant' => sub {
    my %beside = ('2025-10-26T01:59:59' => '10-25 23:59:59', '2025-10-26T03:00:00' => '10-26 02:00:00',
        '2025-07-01T02:30:00' => '07-01 00:30:00');
    $pc->profile(timeZone => 'Europe/Zurich', doubledHour => 'first');
    imported('the first', $doubled => '10-26 00:30:00', %beside);
    held('but what is skipped is never guessed', $skipped, qr/no such time/);
    $pc->profile(timeZone => 'Europe/Zurich', doubledHour => 'second');
    imported('the second', $doubled => '10-26 01:30:00', %beside);
    held('the hour that is skipped is not guessed then either', $skipped, qr/no such time/);
    my $refused = $lims->ctl(@as, 'profile', 'add', '--definition',
        JSON::PP->new->utf8->encode($pc->definition(doubledHour => 'third')));
    isnt($refused->{exit}, 0, 'any other choice is refused');
    like($refused->{output}, qr/doubledHour/, 'the message names doubledHour');
};

subtest 'releasing a file that was held back' => sub {
    my @zurich = (timeZone => 'Europe/Zurich');
    $pc->profile(@zurich);
    my ($id, $sample, $noon) = held('as long as the profile does not say', $doubled, qr/twice/);
    is_deeply([ map { $_->{code} } @{ done('tried again', qw(instrument-file reevaluate), $id,
        '--dry-run', 'true')->{reasons} } ], ['timestamp_invalid'], 'it is the same');
    my $refused = $lims->ctl(@as, '--reason', 'x', qw(instrument-file release), $id);
    isnt($refused->{exit}, 0, 'it cannot be released');
    like($refused->{output}, qr/comes twice/, 'releasing is refused for the same reason');
    $pc->profile(@zurich, doubledHour => 'second');
    done('read again', qw(instrument-file reevaluate), $id);
    is_deeply([ moment_of($sample), moment_of($noon) ], [ '10-26 01:30:00', '06-01 10:00:00' ],
        'by a profile that says it');

    ($id, $sample, $noon) = held('a time that is skipped', $skipped, qr/no such time/);
    done('released without it', '--reason', 'entered by hand', qw(instrument-file release), $id,
        '--exclude', '[{"row": 3, "reason": "the clock was wrong"}]');
    is_deeply([ moment_of($sample), moment_of($noon) ], [ undef, '06-01 10:00:00' ],
        'what is left is entered');
};

subtest 'controls, and many readings' => sub {
    my %zurich = (timeZone => 'Europe/Zurich', rows => { controls => [ {
                    when => [ { column => 'trackingId', matches => '^BLK' } ], controlType => 'MB',
                    criterion => 'maximum', upperLimit => '0.5', route => 'qcBatch' } ] });
    $pc->profile(%zurich);
    my $sample = $pc->sample('NO3');
    my $answer = $pc->send($pc->csv([ $sample, 'NO3', '1', undef, '2025-06-01T12:00:00' ],
        [ 'BLK', 'NO3', '0.1', undef, $doubled ]));
    is_deeply($pc->codes($answer), ['timestamp_invalid'],
        'a control with such a time is held, too') or diag($answer->body);
    is($lab->value('SELECT count(*) FROM lims.qc_batch'), 0, 'makes no batch');

    my $many = $pc->send($pc->csv(map { [ "NOBODY-$_", 'NO3', '1', undef, $doubled ] } 1 .. 1200));
    is_deeply($pc->codes($many), [qw(timestamp_invalid unknown_tracking_id)],
        'of a large file the first reasons') or diag(substr $many->body, 0, 2000);
};

done_testing;
