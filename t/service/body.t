#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Invalid request bodies: not JSON, JSON that parsers read in different ways, or JSON of
# another shape. Each gets 400 with a message, changes nothing and is never a 500. After the
# JSON Parsing Test Suite (RFC 8259).
use strict;
use warnings;

use LIMS::Database::Snapshot;
use LIMS::Service::RouteRecords;
use LIMS::Test;

my $lims    = LIMS::Test->new(conf => 'LimsMaxBody 4194304');
my $records = LIMS::Service::RouteRecords->new($lims);
my $sample  = $records->id('samples');
my $test    = $records->id('sample-tests');

# Routes of different kinds: generic creation and change, handlers, lists of
# ids, lists of objects. '%s' is where a string value goes.
my %route = (
    'POST /clients'                  => '{"code":"BODY","name":"%s"}',
    'PATCH /clients/' . $records->id('clients')        => '{"name":"%s"}',
    'POST /samples'                  => '{"clientName":"%s","materialTypeId":'
        . $records->id('material-types') . '}',
    "PATCH /samples/$sample"         => '{"notes":"%s"}',
    "PATCH /samples/$sample/status"  => '{"status":"%s"}',
    "PATCH /sample-tests/$test"      => '{"result":"%s"}',
    'POST /samples/receive'          => '{"sampleIds":"%s"}',
    'POST /sample-tests/bulk-results' =>
        qq({"updates":[{"sampleTestId":$test,"result":"%s"}]}),
    'PATCH /approval-records/' . $records->id('approval-records') =>
        '{"status":"rejected","comment":"%s"}',
);

# Texts that are no JSON at all, or none that everybody reads alike.
my %text = (
    'nothing'                        => '',
    'blanks'                         => " \n\t ",
    'a word'                         => 'nonsense',
    'an opening brace'               => '{',
    'a closing brace'                => '}',
    'a string without end'           => '{"name":"x',
    'a member without value'         => '{"name":}',
    'a member without colon'         => '{"name" "x"}',
    'a name without quotes'          => '{name:"x"}',
    'a name in single quotes'        => "{'name':'x'}",
    'a trailing comma'               => '{"name":"x",}',
    'a leading comma'                => '{,"name":"x"}',
    'two commas'                     => '{"name":"x",,"code":"y"}',
    'a comma for a colon'            => '{"name","x"}',
    'an equals sign'                 => '{"name"="x"}',
    'mismatched brackets'            => '{"name":["x"}]',
    'text behind'                    => '{"name":"x"}x',
    'a brace behind'                 => '{"name":"x"}}',
    'a second object behind'         => '{"name":"x"}{"name":"y"}',
    'a comma behind'                 => '{"name":"x"},',
    'a comment before'               => '/* x */{"name":"x"}',
    'a comment within'               => '{"name":/* x */"x"}',
    'a comment to the end of line'   => "{\"name\":\"x\"} // x\n",
    'a hash comment'                 => "# x\n{\"name\":\"x\"}",
    'a byte order mark'              => "\xEF\xBB\xBF{\"name\":\"x\"}",
    'UTF-16, little end first'       => "\xFF\xFE{\0\"\0a\0\"\0:\0001\0}\0",
    'UTF-16 without a mark'          => "{\0\"\0n\0\"\0:\0001\0}\0",
    'a NUL byte behind'              => "{\"name\":\"x\"}\0",
    'a NUL byte before'              => "\0{\"name\":\"x\"}",
    'a form feed between'            => "{\f\"name\":\"x\"}",
    'a vertical tab between'         => "{\x0B\"name\":\"x\"}",
    'a no-break space between'       => "{\xC2\xA0\"name\":\"x\"}",
    'a word for null'                => '{"name":nil}',
    'a word for true'                => '{"name":True}',
    'a truncated word'               => '{"name":nul}',
    'NaN'                            => '{"name":NaN}',
    'Infinity'                       => '{"name":Infinity}',
    'minus Infinity'                 => '{"name":-Infinity}',
    'a leading zero'                 => '{"name":012}',
    'a leading plus'                 => '{"name":+1}',
    'hexadecimal'                    => '{"name":0x1F}',
    'a point without digits'         => '{"name":1.}',
    'a point without a digit before' => '{"name":.5}',
    'an exponent without digits'     => '{"name":1e}',
    'a minus alone'                  => '{"name":-}',
    'two points'                     => '{"name":1.2.3}',
    'XML'                            => '<name>x</name>',
    'a form'                         => 'name=x&code=y',
    'a name twice'                   => '{"name":"x","name":"x"}',
    'a name twice, once escaped'     => '{"name":"x","n\u0061me":"y"}',
    'a name twice, deep'             => '{"name":{"a":1,"a":2}}',
    'a NUL in a name'                => '{"na\u0000me":"x"}',
    'a lone surrogate in a name'     => '{"\uD800":"x"}',
);

# Values that stand where a string is expected, inside its quotes.
my %string = (
    'a lone high surrogate'          => '\uD834',
    'a lone low surrogate'           => '\uDD1E',
    'surrogates the wrong way round' => '\uDD1E\uD834',
    'a high surrogate twice'         => '\uD834\uD834',
    'a surrogate cut off'            => '\uD834\uDD',
    'an escape cut off'              => '\u00',
    'an invalid escape'         => '\x41',
    'an escaped line end'            => "\\\n",
    'a NUL as escape'                => 'a\u0000b',
    'a NUL byte'                     => "a\0b",
    'a line feed as it is'           => "a\nb",
    'a tab as it is'                 => "a\tb",
    'a control character'            => "a\x01b",
    'a control character as escape'  => 'a\u0001b',
    'an escape character'            => 'a\u001Bb',
    'DEL'                            => "a\x7Fb",
    'a C1 control character'         => "a\xC2\x85b",
    'an overlong slash'              => "\xC0\xAF",
    'an overlong NUL'                => "\xC0\x80",
    'overlong in three bytes'        => "\xE0\x80\xAF",
    'overlong in four bytes'         => "\xF0\x80\x80\xAF",
    'a surrogate in UTF-8'           => "\xED\xA0\x80",
    'a pair of surrogates in UTF-8'  => "\xED\xA0\xB4\xED\xB4\x9E",
    'beyond U+10FFFF'                => "\xF4\x90\x80\x80",
    'five bytes'                     => "\xF8\x88\x80\x80\x80",
    'a continuation byte alone'      => "\x80",
    'a character cut off'            => "\xE2\x82",
    'Latin 1'                        => "caf\xE9",
    'a byte that never occurs'       => "\xFF",
    'far too long'                   => 'x' x 200_000,
);

# Values in the place of the quoted one: well-formed JSON of another type.
my %value = (
    'a number'             => '1',
    'true'                 => 'true',
    'an object'            => '{"a":1}',
    'an array'             => '["a"]',
    'an empty object'      => '{}',
    'an empty array'       => '[]',
    'a huge number'        => '1e400',
    'a number of 1000 digits' => '9' x 1000,
    'minus zero'           => '-0',
    'an array 15 deep'     => '[' x 14 . ']' x 14,
    'an array 1000 deep'   => '[' x 1000 . ']' x 1000,
    'an array 100,000 deep, open' => '[' x 100_000,
    'objects 1000 deep'    => '{"a":' x 1000 . '1' . '}' x 1000,
    '200,000 values'       => '[' . join(',', (1) x 200_000) . ']',
);

my %whole = (
    'an array'   => '[]',
    'a string'   => '"x"',
    'a number'   => '1',
    'null'       => 'null',
    'true'       => 'true',
    'an array around it' => '[{"name":"x"}]',
);

my $before = LIMS::Database::Snapshot::take($lims);

sub refused {
    my ($route, $body, $name) = @_;
    my ($method, $path) = split / /, $route;
    my $answer = $lims->request($method, $path, body => $body);
    my $said   = $answer->json || {};

    is($answer->status . ' ' . ($said->{error} || '?'), '400 invalid_body', $name)
        or diag(substr $answer->body, 0, 300);
    ok(length($said->{message} || '') && length $said->{message} < 600, "$name: the refusal has fewer than 600 bytes");
    return;
}

for my $route (sort keys %route) {
    subtest $route => sub {
        refused($route, $text{$_},  $_)         for sort keys %text;
        refused($route, $whole{$_}, "whole: $_") for sort keys %whole;
        for my $name (sort keys %string) {
            refused($route, sprintf($route{$route}, $string{$name}), "string: $name");
        }
        for my $name (sort keys %value) {
            (my $body = $route{$route}) =~ s/"%s"/$value{$name}/;
            refused($route, $body, "value: $name");
        }
        refused($route, '{"unknown":"x"}', 'an unknown field');
        refused($route, '{"":"x"}', 'a field without a name');
        refused($route, '{"' . 'n' x 5000 . '":"x"}', 'a name of 5000 letters');
        refused($route, '{"<script>":"x"}', 'a name that would be a script');
    };
}

subtest 'the message names the field' => sub {
    my $say = sub { return $lims->post('/clients', $_[0])->json->{message} };
    like($say->('{"code":"A","name":1}'), qr/\bname\b/, 'a field of the wrong type');
    like($say->('{"code":"A"}'), qr/\bname\b/, 'the message names the missing field');
    like($say->('{"code":"A","name":"B","colour":"red"}'), qr/\bcolour\b/, 'an unknown field');
    like($say->('{"code":"A","name":"B","name":"B"}'), qr/\bname\b/, 'a field that is there twice');
    my $deep = $lims->post('/sample-tests/bulk-results',
        '{"updates":[{"sampleTestId":1,"result":"x"},{"sampleTestId":2,"result":3}]}');
    like($deep->json->{message}, qr/updates\[1\]\.result/,
        'the message names a member deep inside');
    my $quoted = $say->('{"code":"A","name":"B","' . 'y' x 3000 . '":1}');
    cmp_ok(length $quoted, '<', 300, 'a long one is cut');
};

is_deeply(LIMS::Database::Snapshot::take($lims), $before, 'no row has changed');

# Bodies that look odd but are valid.
subtest 'accepted bodies' => sub {
    my @odd = (
        [ 'blanks all around',    " \t\r\n{ \"name\" : \"x\" } \n", 'x' ],
        [ 'an escaped letter',    '{"n\u0061me":"\u0041"}',         'A' ],
        [ 'a pair of surrogates', '{"name":"\uD834\uDD1E"}',        "\x{1D11E}" ],
        [ 'an emoji',             "{\"name\":\"\xF0\x9F\xA7\xAA\"}", "\x{1F9EA}" ],
        [ 'a slash, escaped',     '{"name":"a\/b"}',                'a/b' ],
        [ 'quotes, escaped',      '{"name":"say \"hello\" \\\\ there"}', 'say "hello" \\ there' ],
        [ 'SQL', q~{"name":"'); DROP TABLE lims.client; --"}~, q~'); DROP TABLE lims.client; --~ ],
        [ 'a percent sign',       '{"name":"100 %d %s"}',           '100 %d %s' ],
        [ 'a dollar sign',        '{"name":"$1 :name"}',            '$1 :name' ],
        [ 'right to left',        "{\"name\":\"\xD7\xA9\xD7\x9C\"}", "\x{5E9}\x{5DC}" ],
        [ 'U+10FFFF',             "{\"name\":\"\xF4\x8F\xBF\xBF\"}", "\x{10FFFF}" ],
        [ '255 letters of two bytes', '{"name":"' . "\xC3\xA9" x 255 . '"}', "\xE9" x 255 ],
    );
    my $path = '/clients/' . $records->id('clients');
    for my $case (@odd) {
        my ($name, $body, $value) = @$case;
        my $answer = $lims->patch($path, $body);
        is($answer->status, 200, $name);
        ok($answer->json && $answer->json->{name} eq $value, "$name: the value is kept as it was sent");
        is($lims->get($path)->json->{name}, $value, 'the value is stored as it is');
    }
};

done_testing();
