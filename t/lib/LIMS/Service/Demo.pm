# SPDX-License-Identifier: Apache-2.0
package LIMS::Service::Demo;

=head1 NAME

LIMS::Service::Demo - the demonstration laboratories, as their users and programs see them

=head1 SYNOPSIS

    my $demo  = LIMS::Service::Demo->new;
    my $cedar = $demo->laboratory('cedar-basin');

    my $test = $cedar->test('COC-0401', 'PB');
    refused($cedar->post("/sample-tests/$test->{id}/verify", {}), 409, 'qc_failed');
    $cedar->ctl('grace.okafor', 'qc-batch', 'override', $id, '--reason', '...');

=head1 DESCRIPTION

A laboratory asks the service over TLS with its own key, and limsctl as one of
its people, who sign with the password of the demonstration.

    new(%option)                with the options of LIMS::Test
    lims                        the LIMS::Test beneath
    laboratory($code)           cedar-basin, harborview, tiny-lab, starter-water

    id  key                     of a laboratory
    get, post, patch            as LIMS::Test, with its key
    sample($external_id)        its record, with its tests
    test($external_id, $code)   the record of one test
    readiness($external_id)     its readiness
    categories($external_id)    the categories of its findings, sorted
    ctl($person, @arguments)    limsctl; the person by the part before the @
    done($person, @arguments)   the same, which has to succeed; its JSON
    reagent_lot($code)  media_lot($code)  qc_batch($number)      an id
    material($code)  definition($code)  project($code)           an id
    events(sub { ... })         [type, payload] of what it emitted; what the
                                lifecycle scan finds meanwhile is its own

=cut

use strict;
use warnings;

use File::Temp ();
use LIMS::Service::JSONSchema;
use LIMS::Test;

my %key_of = (
    'cedar-basin'   => 'LIMS_API_KEY',
    'harborview'    => 'LIMS_API_KEY_B',
    'tiny-lab'      => 'LIMS_API_KEY_C',
    'starter-water' => 'LIMS_API_KEY_D',
);
my @scanned = qw(sample.blocked sample.ready_for_review sample.ready_to_report
    holding_time.expiring);
my %domain = ('cedar-basin' => 'cedarbasin.example', 'harborview' => 'harborview.example',
    'tiny-lab' => 'tinylab.example', 'starter-water' => 'starterwater.example');

sub new {
    my ($class, %option) = @_;
    my $lims    = LIMS::Test->new(demo => 1, %option);
    my $secret  = File::Temp->new;

    print {$secret} "$lims->{keys}{LIMS_DEMO_PASSWORD}\n";
    close $secret;
    return bless { lims => $lims, secret => $secret }, $class;
}

sub lims { return $_[0]{lims} }

sub laboratory {
    my ($self, $code) = @_;
    my ($id) = $self->{lims}->db->selectrow_array(
        'SELECT o.id FROM lims.organization o WHERE o.code = ?', undef, $code);

    return bless { %$self, code => $code, id => $id, key => $self->{lims}{keys}{ $key_of{$code} } },
        'LIMS::Service::Demo::Laboratory';
}

package LIMS::Service::Demo::Laboratory;

sub id  { return $_[0]{id} }
sub key { return $_[0]{key} }

sub get   { my ($self, $path, %o) = @_; return $self->{lims}->get($path, key => $self->{key}, %o) }
sub post  { my ($self, @ask) = @_; return $self->{lims}->post(@ask[ 0, 1 ], key => $self->{key}) }
sub patch { my ($self, @ask) = @_; return $self->{lims}->patch(@ask[ 0, 1 ], key => $self->{key}) }

# Returns the record at a path; dies if there is none.
sub _found {
    my ($self, $path) = @_;
    my $response = $self->get($path);

    $response->status == 200 or die "GET $path: " . $response->status . ' ' . $response->body . "\n";
    return $response->json;
}

sub sample {
    my ($self, $external_id) = @_;
    my $page = $self->_found("/samples?externalId=$external_id");

    @{ $page->{data} } == 1 or die "$self->{code} has no sample $external_id\n";
    return $self->_found("/samples/$page->{data}[0]{id}");
}

sub test {
    my ($self, $external_id, $code) = @_;
    my ($test) = grep { $_->{testCode} eq $code } @{ $self->sample($external_id)->{tests} };

    return $test || die "$external_id has no test $code\n";
}

sub readiness {
    my ($self, $external_id) = @_;
    return $self->_found('/samples/' . $self->sample($external_id)->{id} . '/readiness');
}

sub categories {
    my ($self, $external_id) = @_;
    return join ' ', sort map { $_->{category} } @{ $self->readiness($external_id)->{findings} };
}

sub ctl {
    my ($self, $person, @arguments) = @_;
    return $self->{lims}->ctl('--organization', $self->{code}, '--user',
        "$person\@$domain{ $self->{code} }", '--password-file', $self->{secret}->filename,
        @arguments);
}

sub done {
    my ($self, $person, @arguments) = @_;
    my $result = $self->ctl($person, @arguments);

    $result->{exit} == 0 or die "limsctl @arguments: $result->{exit} $result->{output}\n";
    return $result->{json};
}

sub _id {
    my ($self, $table, $column, $value) = @_;
    my ($id) = $self->{lims}->db->selectrow_array(
        "SELECT id FROM lims.$table WHERE organization_id = ? AND $column = ?", undef,
        $self->{id}, $value);

    defined $id or die "$self->{code} has no $table $value\n";
    return 0 + $id;
}

sub reagent_lot { my ($self, $code) = @_; return $self->_id('reagent_lot',   'code',         $code) }
sub media_lot   { my ($self, $code) = @_; return $self->_id('media_lot',     'code',         $code) }
sub qc_batch    { my ($self, $code) = @_; return $self->_id('qc_batch',      'batch_number', $code) }
sub material    { my ($self, $code) = @_; return $self->_id('material_type', 'code',         $code) }
sub project     { my ($self, $code) = @_; return $self->_id('project',       'code',         $code) }
sub definition  { my ($self, $code) = @_; return $self->_id('test_definition', 'code',       $code) }

sub events {
    my ($self, $action) = @_;
    my $db = $self->{lims}->db;
    my ($last) = $db->selectrow_array(
        'SELECT coalesce(max(id), 0) FROM lims.event WHERE organization_id = ?', undef, $self->{id});

    $action->();
    my $rows = $db->selectall_arrayref('SELECT type, data FROM lims.event'
            . ' WHERE organization_id = ? AND id > ? AND type <> ALL (?) ORDER BY id', undef,
        $self->{id}, $last, [ @scanned ]);
    return map { [ $_->[0], LIMS::Service::JSONSchema::decode($_->[1]) ] } @$rows;
}

1;
