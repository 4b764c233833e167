#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# How a file names a sample: by tracking id and, where the profile says so, by external id,
# sample identifier or an alias that the laboratory lists, which ends with its sample. An
# ambiguous name is no name, and none leads to another laboratory's sample.
use strict;
use warnings;

use LIMS::Files::Instrument;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims  = LIMS::Test->new;
my $lab   = LIMS::Service::Laboratory->new($lims);
my $pc    = LIMS::Files::Instrument->new($lab);
my $other = LIMS::Service::Laboratory->new($lims, $lims->organization(code => 'other-laboratory'));
my @as = ('--organization', 'test-laboratory', '--user', 'administrator@test-laboratory.example');

sub ctl { return $lims->ctl(@as, @_) }

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

# A received sample with a test of NO3.
sub sample {
    my (%body) = @_;
    $pc->{definition}{NO3} //= $lab->definition(code => 'NO3');
    my $sample = $lab->sample(testDefinitionIds => [ $pc->{definition}{NO3} ], %body);
    return { %$sample, %{ $lab->status($sample, 'received') } };
}

sub value_of { return $pc->test($_[0], 'NO3')->{result} }

sub imported {
    my ($name, $sample, $text, $value) = @_;
    my $answer = $pc->send($pc->csv([ $text, 'NO3', $value ]));
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is($answer->status, 201, $name) or diag($answer->body);
    is(value_of($sample), $value, 'the value is entered for that sample');
    is($answer->json->{results}[0]{trackingId}, $sample->{trackingId}, 'the answer names the sample');
    return $answer->json;
}

sub held {
    my ($name, $code, $words, $text, %option) = @_;
    my $answer = $pc->send($pc->csv([ $text, 'NO3', '70.' . ++$pc->{number} ]), %option);
    my ($reason) = @{ $answer->json->{reasons} };
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is($answer->status . ' ' . ($reason->{code} // ''), "202 $code", $name) or diag($answer->body);
    like($reason->{message}, $words, 'the reason says why') if $words;
    return $answer->json;
}

subtest 'samples by external id and sample identifier' => sub {
    my $project = $lab->project(code => 'RIVER', composite_sample_identifier => 1);
    my $one     = sample(externalId => 'EXT-77');
    my $two     = sample(projectId => $project, plantLocation => 'W3', collectionDate => '2026-11-20');

    like($two->{sampleIdentifier}, qr/^RIVER-W3-20261120-/, 'a sample identifier of its own');
    $pc->profile;
    held('an external id', 'unknown_tracking_id',
        qr/^There is no sample EXT-77\. It is the external id of sample \Q$one->{trackingId}\E, by which the profile does not find samples/,
        'EXT-77');
    held('a sample identifier', 'unknown_tracking_id', qr/It is the sample identifier of sample/,
        $two->{sampleIdentifier});
    held('what is nothing', 'unknown_tracking_id', qr/may be mistyped/, 'EXT-78');

    $pc->profile(sample => { by => [ 'trackingId', 'externalId' ] });
    imported('an external id', $one, 'EXT-77', '1.1');
    held('a sample identifier', 'unknown_tracking_id', qr/sample identifier/, $two->{sampleIdentifier});
    $pc->profile(sample => { by => 'sampleIdentifier' });
    imported('a sample identifier', $two, $two->{sampleIdentifier}, '1.2');
    my $three = sample(projectId => $project, plantLocation => 'W3', collectionDate => '2026-11-20');
    held('a tracking id, where it is none', 'unknown_tracking_id', qr/It is the tracking id of a sample/,
        $three->{trackingId});
    $pc->profile;
    imported('a tracking id, as ever', $three, $three->{trackingId}, '1.3');
};

subtest 'ambiguous names' => sub {
    my $one = sample();
    my $two = sample(externalId => $one->{trackingId});

    $pc->profile(sample => { by => [ 'trackingId', 'externalId' ] });
    my $json = held('the tracking id of one, the external id of another', 'ambiguous_tracking_id',
        qr/^2 samples are called/, $one->{trackingId});
    is($json->{reasons}[0]{cell}, $one->{trackingId}, 'the reason names the text of the cell');
    my $key = $lims->key($lab->{organization}, upload_only => 1)->{key};
    held('to a key that only delivers', 'unknown_tracking_id', undef, $one->{trackingId}, key => $key);

    my $both   = sample(externalId => 'EXT-80');
    my $answer = $pc->send($pc->csv([ $both, 'NO3', '5' ], [ 'EXT-80', 'NO3', '5' ]));
    is_deeply($pc->codes($answer), ['duplicate_row'], 'a sample by two of its names is one')
        or diag($answer->body);
    is(value_of($both), undef, 'an ambiguous name enters nothing');
    $pc->profile;
};

subtest 'names of another laboratory' => sub {
    my $definition = $other->definition(code => 'NO3');
    my $theirs     = $other->sample(externalId => 'EXT-90', testDefinitionIds => [$definition]);

    $other->status($theirs, 'received');
    $pc->profile(sample => { by => [ 'trackingId', 'externalId', 'sampleIdentifier', 'name' ] });
    for my $text ('EXT-90', $theirs->{trackingId}, $theirs->{sampleIdentifier}) {
        my $json = held("its $text", 'unknown_tracking_id', undef, $text);
        unlike($json->{reasons}[0]{message}, qr/It is/, 'is told of no more than any other text');
    }
    refused_with('a name for its sample', qr/There is no sample/, 'sample-name', 'add', '--name',
        'Theirs', '--tracking-id', $theirs->{trackingId}, '--reason', 'x');
    $pc->profile;
};

subtest 'aliases that the laboratory lists' => sub {
    my $one  = sample();
    my @add  = qw(sample-name add --name);
    my $name = done('listed', @add, 'Brunnen 3', '--tracking-id', $one->{trackingId}, '--reason',
        'label on the bottle');
    is_deeply([ @$name{qw(name trackingId active reason)} ],
        [ 'Brunnen 3', $one->{trackingId}, JSON::PP::true, 'label on the bottle' ],
            'the alias has name, sample and reason');
    imported('a file with it', $one, 'Brunnen 3', '2.1');
    is($lab->value('SELECT tracking_id FROM lims.instrument_file_row ORDER BY id DESC LIMIT 1'),
        'Brunnen 3', 'the file\'s own text is stored');
    is($lab->value(q{SELECT reason FROM lims.audit_entry WHERE table_name = 'sample_name'
        AND action = 'insert' AND record_id = ?}, $name->{id}), 'label on the bottle',
            'the trail has the reason');
    $pc->profile(sample => { by => 'trackingId' });
    held('where the profile does not go by names', 'unknown_tracking_id',
        qr/It is a name of sample \Q$one->{trackingId}\E/, 'Brunnen 3');
    $pc->profile;

    my $two = sample();
    refused_with('for a second sample', qr/Brunnen 3 is the name of sample \Q$one->{trackingId}\E/,
        @add, 'Brunnen 3', '--tracking-id', $two->{trackingId}, '--reason', 'x');
    refused_with('a tracking id', qr/is the tracking id of a sample/, @add, $one->{trackingId},
        '--tracking-id', $two->{trackingId}, '--reason', 'x');
    refused_with('without a reason', qr/reason/, @add, 'Brunnen 4', '--tracking-id',
        $two->{trackingId});
    refused_with('with a blank at its end', qr/./, @add, 'Brunnen 4 ', '--tracking-id',
        $two->{trackingId}, '--reason', 'x');
    my $clerk = $lims->insert('user_account', { email => 'clerk@test.example',
        display_name => 'Clerk' });
    like($lims->ctl('--organization', 'test-laboratory', '--user', 'clerk@test.example', @add,
        'Brunnen 5', '--tracking-id', $two->{trackingId}, '--reason', 'x')->{output},
        qr{needs the permission file.review}, 'other roles may not list names');

    done('removed', qw(sample-name remove), $name->{id}, '--reason', 'wrong bottle');
    refused_with('twice', qr/was removed already/, qw(sample-name remove), $name->{id}, '--reason',
        'x');
    held('then it is none', 'unknown_tracking_id',
        qr/It was a name of sample \Q$one->{trackingId}\E until it was removed/, 'Brunnen 3');
    done('another\'s now', @add, 'Brunnen 3', '--tracking-id', $two->{trackingId}, '--reason',
        'moved');
    imported('to which it leads', $two, 'Brunnen 3', '2.2');
    is_deeply([ map { "$_->{trackingId} " . ($_->{active} ? 1 : 0) } @{ done('listed',
                qw(sample-name list --name), 'Brunnen 3')->{data} } ],
        [ "$one->{trackingId} 0", "$two->{trackingId} 1" ], 'both uses of the name are on record');
    ok(!eval { $lab->act(sub { $_[0]->do('UPDATE lims.sample_name SET sample_id = ?', undef,
                $one->{id}) }) }, 'a name that was listed is not another\'s afterwards');
};

subtest 'an alias ends with its sample' => sub {
    my $one = sample();
    my ($test) = $lab->tests($one);
    done('listed', qw(sample-name add --name), 'Tank 1', '--tracking-id', $one->{trackingId},
        '--reason', 'label');
    $lab->enter($test, '1');
    $lab->verify($test);
    $lab->status($one, $_) for qw(completed verified);
    is($lims->post("/samples/$one->{id}/report", {}, key => $lab->{organization}{key})->status, 200,
        'the sample is reported');
    held('the name leads to it no more', 'unknown_tracking_id',
        qr/It was a name of sample \Q$one->{trackingId}\E, which is reported/, 'Tank 1');
    is_deeply(done('the list', qw(sample-name list --name), 'Tank 1', qw(--active true))->{data}, [],
        'the ended alias is not listed as active');
    refused_with('a new name for it', qr/is reported: no further name can be listed/, qw(sample-name add --name),
        'Tank 2', '--tracking-id', $one->{trackingId}, '--reason', 'x');

    my $two = sample();
    done('the same name for another', qw(sample-name add --name), 'Tank 1', '--tracking-id',
        $two->{trackingId}, '--reason', 'next bottle');
    imported('to which it leads', $two, 'Tank 1', '3.1');
    is($lab->value('SELECT count(*) FROM lims.sample_name WHERE name = ? AND end_reason LIKE ?',
        'Tank 1', "Sample $one->{trackingId} is reported.%"), 1, 'the first has ended by that');
};

done_testing();
