#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Tests the JSON Schema validator that checks every reply of every test: a validator that
# accepts everything would make the whole suite blind.
use strict;
use warnings;
use utf8;

use JSON::PP ();
use Test::More;

use LIMS::Service::JSONSchema;

my $document = {
    components => {
        schemas => {
            Id   => { type => 'integer', minimum => 1 },
            Node => {
                type                 => 'object',
                properties           => { next => { '$ref' => '#/components/schemas/Node' } },
                additionalProperties => JSON::PP::false,
            },
        },
    },
};
my $schema = LIMS::Service::JSONSchema->new($document);
my $false  = JSON::PP::false;

# [schema, JSON text, whether it matches]
my @cases = (
    [ { type => 'integer' }, '1',                   1 ],
    [ { type => 'integer' }, '1.0',                 1 ],
    [ { type => 'integer' }, '1.5',                 0 ],
    [ { type => 'integer' }, '"1"',                 0 ],
    [ { type => 'integer' }, 'true',                0 ],
    [ { type => 'integer' }, '9223372036854775807', 1 ],
    [ { type => 'integer' }, '92233720368547758070', 1 ],
    [ { type => 'number' },  '1',                   1 ],
    [ { type => 'number' },  '7.10',                1 ],
    [ { type => 'number' },  '"7.10"',              0 ],
    [ { type => 'string' },  '"1"',                 1 ],
    [ { type => 'string' },  '1',                   0 ],
    [ { type => 'string' },  'null',                0 ],
    [ { type => 'boolean' }, 'true',                1 ],
    [ { type => 'boolean' }, '1',                   0 ],
    [ { type => 'boolean' }, '"true"',              0 ],
    [ { type => 'null' },    'null',                1 ],
    [ { type => 'null' },    'false',               0 ],
    [ { type => 'object' },  '{}',                  1 ],
    [ { type => 'object' },  '[]',                  0 ],
    [ { type => 'array' },   '[]',                  1 ],
    [ { type => [ 'string', 'null' ] }, 'null', 1 ],
    [ { type => [ 'string', 'null' ] }, '1',    0 ],
    [ { type => 'text' }, '"a"', 0 ],

    [ { enum => [ 'a', 'b' ] }, '"b"', 1 ],
    [ { enum => [ 'a', 'b' ] }, '"c"', 0 ],
    [ { enum => [1] },          '"1"', 0 ],
    [ { const => 'v1' },        '"v1"', 1 ],
    [ { const => 'v1' },        '"v2"', 0 ],
    [ { const => $false },      'false', 1 ],
    [ { const => $false },      '0',     0 ],

    [ { format => 'date' },      '"2026-11-21"',               1 ],
    [ { format => 'date' },      '"2026-13-21"',               0 ],
    [ { format => 'date' },      "\"2026-11-21\\n\"",          0 ],
    [ { format => 'date-time' }, '"2026-11-21T07:48:00.000Z"', 1 ],
    [ { format => 'date-time' }, '"2026-11-21 07:48:00Z"',     0 ],
    [ { format => 'date-time' }, '"2026-11-21T07:48:00"',      0 ],
    [ { format => 'date-time' }, '"2026-11-21T25:48:00Z"',     0 ],
    [ { format => 'uuid' }, '"123e4567-e89b-12d3-a456-426614174000"', 1 ],
    [ { format => 'uuid' }, '"123e4567"',                             0 ],
    [ { format => 'fancy' },     '"a"',  0 ],
    [ { format => 'date' },      'null', 1 ],

    [ { pattern => '^a+$' }, '"aa"', 1 ],
    [ { pattern => '^a+$' }, '"ab"', 0 ],
    [ { minLength => 2 },    '"é"',  0 ],
    [ { minLength => 2 },    '"éé"', 1 ],
    [ { maxLength => 1 },    '"é"',  1 ],
    [ { maxLength => 1 },    '"éé"', 0 ],

    [ { minimum => 1 },          '1', 1 ],
    [ { minimum => 1 },          '0', 0 ],
    [ { maximum => 1 },          '1', 1 ],
    [ { maximum => 1 },          '2', 0 ],
    [ { exclusiveMinimum => 1 }, '1', 0 ],
    [ { exclusiveMaximum => 1 }, '1', 0 ],
    [ { exclusiveMaximum => 1 }, '0', 1 ],

    [ { properties => { a => { type => 'string' } } }, '{"a":1}', 0 ],
    [ { properties => { a => { type => 'string' } } }, '{"b":1}', 1 ],
    [ { required => ['a'] }, '{"a":null}', 1 ],
    [ { required => ['a'] }, '{}',         0 ],
    [ { properties => { a => {} }, additionalProperties => $false }, '{"a":1}',       1 ],
    [ { properties => { a => {} }, additionalProperties => $false }, '{"a":1,"b":1}', 0 ],
    [ { additionalProperties => { type => 'string' } }, '{"a":"1"}', 1 ],
    [ { additionalProperties => { type => 'string' } }, '{"a":1}',   0 ],
    [ { minProperties => 1 }, '{}',            0 ],
    [ { maxProperties => 1 }, '{"a":1,"b":1}', 0 ],

    [ { items => { type => 'integer' } }, '[1,2]',   1 ],
    [ { items => { type => 'integer' } }, '[1,"2"]', 0 ],
    [ { minItems => 1 },                 '[]',      0 ],
    [ { maxItems => 1 },                 '[1,2]',   0 ],
    [ { uniqueItems => JSON::PP::true }, '[1,2]',   1 ],
    [ { uniqueItems => JSON::PP::true }, '[1,1]',   0 ],
    [ { uniqueItems => JSON::PP::true }, '[1,"1"]', 1 ],

    [ { allOf => [ { type => 'integer' }, { minimum => 2 } ] }, '2', 1 ],
    [ { allOf => [ { type => 'integer' }, { minimum => 2 } ] }, '1', 0 ],
    [ { anyOf => [ { type => 'integer' }, { type => 'null' } ] }, 'null', 1 ],
    [ { anyOf => [ { type => 'integer' }, { type => 'null' } ] }, '"a"',  0 ],
    [ { oneOf => [ { type => 'integer' }, { type => 'number' } ] }, '1.5', 1 ],
    [ { oneOf => [ { type => 'integer' }, { type => 'number' } ] }, '1',   0 ],
    [ { oneOf => [ { type => 'integer' }, { type => 'number' } ] }, '"a"', 0 ],
    [ { not => { type => 'null' } }, '1',    1 ],
    [ { not => { type => 'null' } }, 'null', 0 ],

    [ { '$ref' => '#/components/schemas/Id' },   '0',                  0 ],
    [ { '$ref' => '#/components/schemas/Id' },   '1',                  1 ],
    [ { '$ref' => '#/components/schemas/Node' }, '{"next":{}}',        1 ],
    [ { '$ref' => '#/components/schemas/Node' }, '{"next":{"a":1}}',   0 ],
    [ { '$ref' => '#/components/schemas/None' }, '1',                  0 ],
    [ { '$ref' => 'https://example.org/x' },     '1',                  0 ],

    [ { description => 'x', example => 1 }, '"anything"', 1 ],
    [ { minimun     => 1 },                 '1',          0 ],
    [ JSON::PP::true,                       '1',          1 ],
    [ $false,                               '1',          0 ],
);

for my $case (@cases) {
    my ($rule, $text, $matches) = @$case;
    my $bytes = $text;
    utf8::encode($bytes);
    my @faults = $schema->validate(LIMS::Service::JSONSchema::decode($bytes), $rule);
    my $name   = ref $rule eq 'HASH' ? join ', ', map { "$_ $rule->{$_}" } sort keys %$rule : $rule;
    utf8::encode($name);

    is(@faults ? 0 : 1, $matches, "$bytes against $name") or diag(@faults);
}

like(($schema->validate({ a => [ {} ] },
            { properties => { a => { items => { required => ['b'] } } } }))[0],
    qr/\A\$\.a\[0\]: /, 'a fault says where');

my $strict = LIMS::Service::JSONSchema->new({}, formats => { 'date-time' => qr/\.\d{3}Z\z/ });
ok($strict->validate('2026-11-21T07:48:00Z', { format => 'date-time' }),
    'a format can be made stricter');

for my $case ([ '{"a":1,"b":2,"a":3}', 'a member that stands twice' ],
    [ "\xEF\xBB\xBF{}", 'a byte order mark' ], [ '{} {}', 'something behind the object' ]) {
    my ($bytes, $what) = @$case;
    ok(!eval { LIMS::Service::JSONSchema::decode($bytes) }, "$what is no JSON");
}

done_testing();
