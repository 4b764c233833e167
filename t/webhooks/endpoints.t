#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Webhook endpoints at the command line: made with a secret that is shown once
# and kept sealed, changed, disabled and enabled, deleted; by administrators, of
# their own organization, and with a trail that has no secret in it.
use strict;
use warnings;

use LIMS::Test::Tool;
no warnings 'qw';    # commas separate the elements of an option

my $tool  = LIMS::Test::Tool->new;
my @cedar = $tool->laboratory('cedar');
my @birch = $tool->laboratory('birch');

sub webhook { my (@arguments) = @_; return $tool->made(@cedar, 'webhook', @arguments) }

sub refused {
    my ($exit, $words, $name, @arguments) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $done = $tool->run(@cedar, 'webhook', @arguments);
    is($done->{exit}, $exit, $name);
    like($done->{err}, $words, 'the message says why') or diag($done->{out});
    return;
}

sub kept { return $tool->value("SELECT encode($_[1], 'hex') FROM lims.webhook_endpoint
    WHERE id = ?", $_[0]) }

# Made.

my $made = webhook(qw(create --name ERP --url https://ERP.example.org:443/a/../hook));
like($made->{secret}, qr{\Awhsec_[A-Za-z0-9+/]{43}=\z}, 'the secret\'s form');
is($made->{url}, 'https://erp.example.org/hook', 'the address as it is kept');
is_deeply($made->{events}, [ qw(sample.created sample.received result.entered result.verified
    sample.blocked sample.ready_for_review sample.ready_to_report sample.reported coa.generated
    qc.failed holding_time.expiring investigation.opened) ], 'without a list: all events');
ok($made->{enabled}, 'a new endpoint is enabled');
ok(!$made->{standardHeaders}, 'without the other header fields');
is($made->{consecutiveFailures}, 0, 'a new endpoint has no failures');
is_deeply([ @$made{qw(disabledAt disabledReason previousSecretUntil deletedAt)} ], [ (undef) x 4 ],
    'the other fields are null');
my $id = $made->{id};

for my $look ([qw(list)], [ 'show', $id ]) {
    my $done = $tool->run(@cedar, '--json', 'webhook', @$look);
    is($done->{exit}, 0, "webhook @$look");
    unlike($done->{out}, qr/secret"|whsec_/, "webhook @$look does not show the secret");
    like($done->{out}, qr{"https://erp\.example\.org/hook"}, 'the list shows the address');
}

refused(2, qr/type must be one of/, 'deliveries of an unknown event type are refused', qw(deliveries --type order.created));
is_deeply(webhook(qw(deliveries --type webhook.test))->{data}, [], 'deliveries of a type are listed');

# Kept.

like(kept($id, 'secret'), qr/\A01..(?:[0-9a-f]{2}){60,}\z/, 'the secret is stored sealed');
unlike(kept($id, 'secret'), qr/\Q@{[ unpack 'H*', 'whsec_' ]}/, 'the secret is not stored as it is');
is($tool->value(q{SELECT count(*) FROM lims.audit_entry WHERE table_name = 'webhook_endpoint'
    AND record_id = ?}, $id), 1, 'the creation is in the trail');
my $trail = $tool->value(q{SELECT changes::text FROM lims.audit_entry
    WHERE table_name = 'webhook_endpoint' AND record_id = ?}, $id);
unlike($trail, qr/whsec_|\\\\x01/, 'the trail has no secret, open or sealed');
like($trail, qr/erp\.example\.org/, 'the trail has the address');
is($tool->value(q{SELECT u.email FROM lims.audit_entry a JOIN lims.user_account u
    ON u.organization_id = a.organization_id AND u.id = a.user_id
    WHERE a.table_name = 'webhook_endpoint' AND a.record_id = ?}, $id), 'ana@cedar.example',
    'the trail has the person');

# Refusals ---------------------------------------------------------------------------

my @make = qw(create --name X --url);
refused(1, qr/url must begin with https/,           'http',        @make,
    'http://erp.example.org/');
refused(1, qr/url must be an absolute URL/,         'no URL',      @make, 'https://');
refused(1, qr/url must have no user/,               'a user',      @make,
    'https://a:b@erp.example.org/');
refused(1, qr/url must have no fragment/,           'a fragment',  @make,
    'https://erp.example.org/#a');
refused(1, qr/url must name its host in ASCII/,     'an umlaut',   @make,
    "https://m\xC3\xBCnchen.example/");
refused(2, qr/url must be a string of 1 to 2000/,   'too long',    @make, 'https://a.example/' . 'x' x 2000);
refused(2, qr/events.*sample\.creatd|events.*must/, 'no such event', @make, 'https://a.example/',
    qw(--events sample.creatd));
refused(2, qr/events/, 'an event twice', @make, 'https://a.example/',
    qw(--events qc.failed,qc.failed));
refused(2, qr/events/, 'no event', @make, 'https://a.example/', '--events', '');
refused(2, qr/events/, 'the test is no event to choose', @make, 'https://a.example/',
    qw(--events webhook.test));
is($tool->value('SELECT count(*) FROM lims.webhook_endpoint'), 1,
    'refused commands made no endpoint');
{
    local $ENV{LIMS_SECRET_KEY_FILE} = '/nowhere/secret.key';
    refused(1, qr/there is no file/, 'without the key file', @make, 'https://a.example/');
    delete $ENV{LIMS_SECRET_KEY_FILE};
    refused(2, qr/--secret-key-file/, 'without its name', @make, 'https://a.example/');
    is($tool->run(@cedar, qw(webhook list))->{exit}, 0,
        'commands without secrets need no key file');
}
for my $bad ("url = 'http://a.example/'", "url = 'https://u\@a.example/'", "url = 'https://a.example/#x'",
    "url = 'https://a.example'", "events = '{}'", "events = '{webhook.test}'") {
    ok(!eval { $tool->db->do("UPDATE lims.webhook_endpoint SET $bad"); 1 }, "the database: $bad");
}
ok(eval { $tool->db->do(q{UPDATE lims.webhook_endpoint SET url = 'https://[2001:db8::1]:8443/x?y=z'});
    1 }, 'the database takes an address of IPv6') or diag($@);
$tool->db->do(q{UPDATE lims.webhook_endpoint SET url = 'https://erp.example.org/hook'});

# Changed.

my $changed = webhook('update', $id, '--name', 'ERP 2', '--url', 'https://b.example/y?z=1',
    qw(--events qc.failed,sample.reported --standard-headers));
is_deeply([ @$changed{qw(name url)} ], [ 'ERP 2', 'https://b.example/y?z=1' ], 'name and address');
is_deeply($changed->{events}, [qw(qc.failed sample.reported)],
    'the endpoint\'s events are changed');
ok($changed->{standardHeaders}, 'the header fields');
is(webhook('update', $id, qw(--name ERP))->{url}, 'https://b.example/y?z=1',
    'a field that is not given stays');
refused(1, qr/url must begin with https/, 'a bad address', 'update', $id, qw(--url http://x/));
like($tool->value(q{SELECT changes::text FROM lims.audit_entry WHERE table_name = 'webhook_endpoint'
    AND record_id = ? AND changes::text LIKE '%b.example%'}, $id),
    qr/"url":\{"old":"[^"]*erp\.example\.org[^"]*","new":"[^"]*b\.example/,
    'old and new are in the trail');

# Rotated.

my $sealed = kept($id, 'secret');
my $rotated = webhook('rotate', $id);
like($rotated->{secret}, qr/\Awhsec_/, 'a new secret');
isnt($rotated->{secret}, $made->{secret}, 'the new secret is another one');
is(kept($id, 'previous_secret'), $sealed, 'the old one is kept beside it');
is($tool->value(q{SELECT previous_secret_until - updated_at = interval '24 hours'
    FROM lims.webhook_endpoint WHERE id = ?}, $id), 1, 'the former secret is kept for 24 hours');
ok(defined webhook('show', $id)->{previousSecretUntil}, 'the record says until when the former secret holds');
webhook('rotate', $id, qw(--overlap-hours 1));
is($tool->value(q{SELECT previous_secret_until - updated_at = interval '1 hour'
    FROM lims.webhook_endpoint WHERE id = ?}, $id), 1, 'or as long as is said');
webhook('rotate', $id, qw(--overlap-hours 0));
is(kept($id, 'previous_secret'), undef, 'or not at all');
refused(2, qr/overlapHours/, 'for ever is too long', 'rotate', $id, qw(--overlap-hours 169));

my @secrets = map { $_->[0] } @{ $tool->db->selectall_arrayref(q{SELECT changes::text
    FROM lims.audit_entry
   WHERE table_name = 'webhook_endpoint' AND changes -> 'secret' IS NOT NULL},
    { pg_placeholder_dollaronly => 1 }) };
cmp_ok(scalar @secrets, '>', 3, 'the audit trail notes each rotation');
is_deeply([ grep { /whsec_|x01/ } @secrets ], [], 'the trail does not have the secrets');

# Disabled and enabled.

refused(2, qr/give --reason/, 'a reason is needed', 'disable', $id);
my $disabled = webhook('disable', $id, '--reason', 'ERP is moving');
ok(!$disabled->{enabled}, 'the endpoint is disabled');
is($disabled->{disabledReason}, 'ERP is moving', 'the endpoint has the reason');
like($tool->value(q{SELECT changes::text || reason FROM lims.audit_entry
    WHERE table_name = 'webhook_endpoint' AND record_id = ? ORDER BY id DESC LIMIT 1}, $id),
    qr/"enabled".*ERP is moving/, 'the trail has the reason of disabling');
is(webhook('disable', $id, qw(--reason again))->{disabledAt}, $disabled->{disabledAt},
    'an endpoint disabled again keeps the time of the first');
$tool->db->do('UPDATE lims.webhook_endpoint SET consecutive_failures = 15');
my $enabled = webhook('enable', $id);
ok($enabled->{enabled}, 'the endpoint is enabled');
is_deeply([ @$enabled{qw(disabledAt disabledReason consecutiveFailures)} ], [ undef, undef, 0 ],
    'an enabled endpoint has no disabling and no failures any more');

# Permissions: administrators, and of their organization alone -----------------------

$tool->made(@cedar, qw(user create --email bo@cedar.example --display-name Bo
    --roles analyst));
my $analyst = $tool->run(qw(--organization cedar --user bo@cedar.example webhook create --name X
    --url https://a.example/));
is($analyst->{exit}, 1, 'an analyst makes none');
like($analyst->{err}, qr{needs the permission webhook.manage},
    'the message names the permission');
for my $verb ([qw(update --name x)], ['enable'], [qw(disable --reason x)], ['rotate'],
    [qw(delete --reason x)], ['test'], [qw(recover --since 2026-01-01T00:00:00Z)]) {
    my ($command, @options) = @$verb;
    is($tool->run(qw(--organization cedar --user bo@cedar.example webhook), $command, $id,
            @options)->{exit}, 1, "a person without the permission does not $command");
    is($tool->run(@birch, 'webhook', $command, $id, @options)->{exit}, 3,
        "another organization has none to $command");
}
is($tool->run(@birch, qw(webhook show), $id)->{exit}, 3, 'another organization has no endpoint to look at');
is_deeply($tool->made(@birch, qw(webhook list))->{data}, [],
    'another organization lists no endpoint');

# Deleted.

my $other = webhook(qw(create --name LIS --url https://c.example/))->{id};
is_deeply([ map { $_->{id} } @{ webhook('list')->{data} } ], [ $id, $other ],
    'both endpoints are listed');
webhook('disable', $other, qw(--reason x));
is_deeply([ map { $_->{id} } @{ webhook(qw(list --enabled))->{data} } ], [$id], 'the enabled one');
my $deleted = webhook('delete', $id, '--reason', 'replaced');
ok(defined $deleted->{deletedAt}, 'the endpoint is deleted');
ok(!$deleted->{enabled}, 'the deleted endpoint is disabled');
is(kept($id, 'secret'), '', 'the secret of a deleted endpoint is forgotten');
is_deeply([ map { $_->{id} } @{ webhook('list')->{data} } ], [$other], 'a deleted endpoint is not listed');
is_deeply([ map { $_->{id} } @{ webhook(qw(list --deleted))->{data} } ], [$id],
    '--deleted lists the deleted endpoint');
is(webhook('show', $id)->{deletedAt}, $deleted->{deletedAt}, 'a deleted endpoint can be looked at');
refused(3, qr/no webhook endpoint $id/, 'it cannot be enabled', 'enable', $id);
ok(!eval { $tool->db->do('UPDATE lims.webhook_endpoint SET deleted_at = NULL WHERE id = ?', undef,
    $id); 1 }, 'a deleted endpoint cannot be restored in the database');
refused(3, qr/no webhook endpoint 4711/, 'one that never was', 'enable', 4711);

# At most 100 of an organization.

webhook('create', '--name', "N$_", '--url', "https://n$_.example/") for 2 .. 100;
refused(1, qr/An organization has at most 100 webhook endpoints: delete one/, 'the 101st is refused',
    @make, 'https://a.example/');
is($tool->run(@birch, 'webhook', @make, 'https://a.example/')->{exit}, 0,
    'another organization can still make one');
webhook('delete', $other, qw(--reason x));
ok(webhook(@make, 'https://a.example/')->{id}, 'after one was deleted, there is room for another');

done_testing();
