#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The layout of certificates is a declaration of the organization, changed with a reason by
# whoever manages policies; each certificate keeps that of its issue.
use strict;
use warnings;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims  = LIMS::Test->new;
my $lab   = LIMS::Service::Laboratory->new($lims);
my $ann   = LIMS::Service::CommandLine->new($lims, 'Ann Lee', roles => ['qa_officer']);
my $adam  = LIMS::Service::CommandLine->new($lims, 'Adam Roe', roles => ['administrator']);
my @why   = (reason => 'as the accreditation body asks');
my @columns = qw(unit test result qualifier limits flag uncertainty accredited);
my %usual = map { $_ => undef } qw(paper language title logo header footer columns sections statements);

sub layout { return (certificateLayout => {@_}, @why) }

sub issued {
    my $sample = $lab->sample(testDefinitionIds => [ $lab->definition ]);
    my ($test) = $lab->tests($sample);
    $lab->enter($test, '1');
    $lab->verify($test);
    $lims->post("/samples/$sample->{id}/report");
    my $made = $ann->done('certificate issue', sampleId => $sample->{id});
    return sub { $ann->call('certificate content', $made->{id})->{json} };
}

is_deeply($adam->done('organization show')->{certificateLayout}, \%usual, 'the usual layout');
my $before = issued();

subtest 'a layout' => sub {
    my $made = $adam->done('organization update', layout(paper => 'letter', language => 'ja', title => 'Test report',
        columns => \@columns, statements => ['Only to be copied in full.']));
    is_deeply($made->{certificateLayout}, { %usual, paper => 'letter', language => 'ja', title => 'Test report',
            columns => \@columns, statements => ['Only to be copied in full.'] },
        'is kept as it was given');
    is_deeply($adam->done('organization update', layout(title => undef, logo => 'none'))
            ->{certificateLayout}, { %usual, paper => 'letter', language => 'ja', logo => 'none',
            columns => \@columns, statements => ['Only to be copied in full.'] },
        'a change changes what it names, and null means the usual');
};

subtest 'certificates' => sub {
    my $content = issued()->();
    is_deeply([ @{ $content->{layout} }{qw(paper logo title)} ], [ 'letter', 'none', undef ],
        'one that is issued has the layout of now');
    is_deeply($content->{statements},
        [ 'The results concern the items tested only.', 'Only to be copied in full.' ],
        'the certificate makes the statements of its layout');
    is_deeply($before->()->{layout}, \%usual, 'an older one keeps its own');
};

subtest 'what is refused' => sub {
    $adam->refused('invalid_body', 'organization update', layout(paper => 'a5'));
    $adam->refused('invalid_body', 'organization update', layout(margin => '3'));
    $adam->refused('invalid_body', 'organization update', layout(sections => [qw(client sample)]));
    $adam->refused('invalid_body', 'organization update', layout(columns => [qw(test result)]));
    $adam->refused('invalid_body', 'organization update', layout(language => 'xx'));
    $adam->refused('invalid_body', 'organization update', layout(columns => [qw(test test result)]));
    $ann->refused('permission_required', 'organization update', layout(paper => 'a4'));
    $adam->refused('invalid_body', 'organization update',
        certificateLayout => { paper => 'a4' });
};

subtest 'the database' => sub {
    my $db = $lims->db;
    for ([ '{"margin": 1}', 'an unknown member' ], [ '{"columns": "test"}', 'no list' ],
        [ '{"statements": [1]}', 'a number for a text' ], [ '{"title": null}', 'null' ],
        [ '{"sections": ["results"]}', 'without people' ],
        [ '{"columns": ["test", "result", "qualifier"]}', 'results without their units' ])
    {
        my ($wrong, $name) = @$_;
        ok(!eval { $db->do('UPDATE lims.organization SET certificate_layout = ?::jsonb', undef,
            $wrong) }, "refuses a layout: $name");
        like($@, qr/certificateLayout: /, "the refusal of a layout says what is wrong: $name");
    }
};
done_testing();
