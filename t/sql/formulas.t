#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Formulas of computed fields: what is one and what is not, that their arithmetic is exact and
# rounded once, and that templates of wrong formulas are refused whoever writes.
use strict;
use warnings;

use Math::BigInt;
use Math::BigRat;

use LIMS::Test::SQL;

my $base = LIMS::Test::SQL->new;
my $db   = $base->db;

sub computed {
    my ($formula, $decimals, %number) = @_;
    my $numbers = '{' . join(',', map { qq{"$_":"$number{$_}"} } sort keys %number) . '}';
    my ($value, $problem) = $db->selectrow_array('SELECT c.value, c.problem
          FROM lims.formula_steps(?) s
         CROSS JOIN lims.formula_value(s.steps, ?, ?) c', undef, $formula, $decimals, $numbers);
    return $value // "! $problem";
}

# --- Grammar --------------------------------------------------------------------------

my %value = (gross => '48214.1', tare => '48212.4', volume => '985', a => '7.10', b => '-2',
    'pH 4' => '4.01', zero => '0.00', tiny => '1e-3');
is(computed(@$_[ 0, 1 ], %value), $_->[2], "$_->[0], to $_->[1] decimals") for
    [ '(gross - tare) / volume * 1000', 2 => '1.73' ],
    [ 'gross-tare',                    1 => '1.7' ],
    [ '2 + 3 * 4',                     0 => '14' ],
    [ '(2 + 3) * 4',                   0 => '20' ],
    [ '20 / 2 / 5 - 1 - 2',            0 => '-1' ],
    [ '-a * -b',                       2 => '-14.20' ],
    [ '- - a',                         1 => '7.1' ],
    [ '-(a + b)',                      1 => '-5.1' ],
    [ 'a/-b',                          2 => '3.55' ],
    [ '"pH 4" * 2',                    2 => '8.02' ],
    [ "a\t+\n0.05",                    2 => '7.15' ],
    [ 'tiny * 3',                      3 => '0.003' ],
    [ 'a',                             4 => '7.1000' ],
    [ '1 / 3 * 3',                     10 => '1.0000000000' ],
    [ 'zero - zero',                   2 => '0.00' ],
    [ '-zero',                         1 => '0.0' ];
is(computed('"a ""b"""', 0, 'a \"b\"' => '3'), '3', 'a quote within a name stands twice');

sub problem { return $base->value('SELECT problem FROM lims.formula_steps(?)', $_[0]) }
is(problem($_->[0]), "at character $_->[1]", "no formula: $_->[0]") for
    [ '',         '1: it ends where a number or a field is expected' ],
    [ '   ',      '4: it ends where a number or a field is expected' ],
    [ 'a +',      '4: it ends where a number or a field is expected' ],
    [ 'a b',      '3: one of + - * / is expected, not b' ],
    [ '2a',       '2: one of + - * / is expected, not a' ],
    [ 'a(b)',     '2: one of + - * / is expected, not (' ],
    [ 'a * / b',  '5: a number or a field is expected, not /' ],
    [ '+a',       '1: a number or a field is expected, not +' ],
    [ '()',       '2: a number or a field is expected, not )' ],
    [ 'a + (b',   '7: a ( is not closed' ],
    [ 'a) + b',   '2: no ( belongs to this )' ],
    [ 'a ^ 2',    '3: ^ means nothing here' ],
    [ '1.',       '2: . means nothing here' ],
    [ '"a',       '1: " means nothing here' ],
    [ '""',       '1: " means nothing here' ],
    [ "a; b",     '2: ; means nothing here' ],
    [ '(' x 41,   '41: it is nested too deeply' ],
    [ '-' x 200,  '41: it is nested too deeply' ];

# --- Arithmetic -----------------------------------------------------------------------

is(computed('a', 1, a => $_->[0]), $_->[1], "a half is rounded away from zero: $_->[0]") for
    [ '2.25', '2.3' ], [ '2.35', '2.4' ], [ '-2.25', '-2.3' ], [ '2.2499999999', '2.2' ];
is(computed('1 / 8 - 1 / 100000000000000000000000000000', 2), '0.12',
    'what is hardly below a half is not rounded up');
is(computed('a / zero', 2, %value), '! divides by zero', 'a division by zero is told');
is(computed('1 / (a - 7.1)', 2, %value), '! divides by zero', 'a division by a difference of zero is told');
is(computed(join(' * ', ('a') x 6), 0, a => '1e99'), '! its numbers have too many digits',
    'a product out of all bounds is told');
is(computed(join(' * ', ('a') x 6), 0, a => '1e-99'), '! its numbers have too many digits',
    'a product of too many decimals is told');
is(computed('a * a', 0, a => '1e15'), '! has more than 30 digits before the point',
    'a value that nobody can read is told');
is(computed('a * a - 1', 0, a => '1e15'), '9' x 30, 'a value of 30 digits is one');

# The same sums by another program, at random.
my $seed = srand($ENV{LIMS_SEED} || time);
my @wrong;
sub made {
    my ($depth) = @_;
    my $sort = $depth > 4 ? 0 : int rand 6;
    return (sprintf '%.*f', int rand 4, rand 100) x 2 if $sort < 2;
    my ($formula, $perl) = made($depth + 1);
    return ("-($formula)", "-($perl)") if $sort == 2;
    my ($other, $other_perl) = made($depth + 1);
    my $sign = (qw(+ - *), '/')[ rand 4 ];
    return ("($formula $sign $other)",
        $sign eq '/' ? "over($perl, $other_perl)" : "($perl $sign $other_perl)");
}

# Divides, and dies by zero, of which BigRat would go on with infinity.
sub over {
    my ($one, $other) = @_;
    die "divides by zero\n" if $other->is_zero;
    return $one / $other;
}

sub by_perl {
    my ($perl, $decimals) = @_;
    my $sum = eval join '', map { /\d/ ? "Math::BigRat->new('$_')" : $_ }
        $perl =~ /[\d.]+|[^\d.]/g;
    return '! divides by zero' if !defined $sum;
    my $unit  = $sum->copy->babs * Math::BigRat->new(10)**$decimals + Math::BigRat->new('1/2');
    my $digits = $unit->bfloor->numerator->bstr;
    $digits = '0' x ($decimals + 1 - length $digits) . $digits if length $digits <= $decimals;
    my $sign = $sum->is_neg && $digits =~ /[1-9]/ ? '-' : '';
    return $sign . $digits if !$decimals;
    return $sign . substr($digits, 0, -$decimals) . '.' . substr $digits, -$decimals;
}
for (1 .. 150) {
    my ($formula, $perl) = made(0);
    my $decimals = int rand 11;
    next if length $formula > 500;
    my $expected = by_perl($perl, $decimals);
    my $met      = computed($formula, $decimals);
    next if $met eq $expected || $met =~ /digits/;
    push @wrong, "$formula to $decimals: $met, not $expected";
}
is(join("\n", @wrong), '',
    "150 formulas at random have the value that they have elsewhere (LIMS_SEED=$seed)");

# --- Numbers --------------------------------------------------------------------------

is($base->value('SELECT lims.number_of(?)', $_->[0]), $_->[1], "number: $_->[0]") for
    [ '7.10', '7.10' ], [ '-0.5', '-0.5' ], [ '1E2', '100' ], [ '1' x 40, '1' x 40 ],
    map { [ $_, undef ] } '', ' 1', '1,5', '.5', '1.', '01', '+1', 'NaN', 'Infinity', '1e101',
        '1e1000', "1\n", '1' x 41, '<5', '0x1f', '1_000';

# --- Templates ------------------------------------------------------------------------

my $lab = $base->laboratory(code => 'cedar');
my $app = $base->app($lab);
my $version = 0;

sub template {
    my (@fields) = @_;
    my $place    = 0;
    my $template = $base->insert('worksheet_template', { organization_id => $lab->{id},
        test_definition_id => $lab->{definition}{HEM}, name => 'HEM', version => ++$version });
    my @rows = map { [ $lab->{id}, $template, ++$place, @$_ ] } @fields;
    return ('INSERT INTO lims.worksheet_field (organization_id, template_id, position, name, kind,
        formula, decimals) VALUES ' . join(', ', ('(?, ?, ?, ?, ?, ?, ?)') x @rows),
        [ map { @$_ } @rows ], $template);
}

sub no_template {
    my ($message, @fields) = @_;
    my ($sql, $bind) = template(@fields);
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $words = refused($app, $sql, $bind, 'invalid_body', "refused: $message");
    return like($words, qr/\Q$message\E/, 'the refusal says so');
}

my @number = map { [ $_, 'number', undef, undef ] } qw(gross tare);
no_template('fields[2].formula: at character 9: the template has no field "volume"', @number,
    [ 'net', 'computed', 'gross / volume', 1 ]);
no_template('fields[1].formula: at character 1: the field "tare" does not stand before this one',
    $number[0], [ 'net', 'computed', 'tare', 1 ], $number[1]);
no_template('fields[0].formula: at character 1: the field "net" does not stand before this one',
    [ 'net', 'computed', 'net', 1 ]);
no_template('fields[1].formula: at character 5: the field "day" is no number',
    [ 'day', 'date', undef, undef ], [ 'net', 'computed', '1 + day', 1 ]);
no_template('fields[2].formula: at character 8: it ends where', @number,
    [ 'net', 'computed', 'gross -', 1 ]);
no_template('fields[2].formula: a computed field needs', @number, [ 'net', 'computed', undef, 1 ]);
no_template('fields[2].decimals: a computed field needs', @number,
    [ 'net', 'computed', 'gross', undef ]);
no_template('fields[0].formula: only a computed field', [ 'net', 'number', '1', undef ]);
no_template('fields[0].decimals: only a computed field', [ 'net', 'number', undef, 1 ]);

my ($sql, $bind, $template) = template(@number, [ 'net', 'computed', 'gross - tare', 1 ],
    [ 'half', 'computed', 'net / 2', 1 ]);
is($app->do($sql, undef, @$bind), 4, 'a later formula names an earlier one');
for my $change ([ "name = 'brutto'", 'gross' ], [ 'position = 9', 'tare' ],
    [ "kind = 'text'", 'gross' ], [ "kind = 'text', formula = NULL, decimals = NULL", 'net' ],
    [ "formula = 'half'", 'net' ]) {
    refused($app, "UPDATE lims.worksheet_field SET $change->[0] WHERE organization_id = ?
        AND template_id = ? AND name = ?", [ $lab->{id}, $template, $change->[1] ],
        'invalid_body', "what a formula names is not changed under it: $change->[0]");
}
refused($app, 'DELETE FROM lims.worksheet_field WHERE organization_id = ? AND template_id = ?
    AND name = ?', [ $lab->{id}, $template, 'tare' ], 'invalid_body',
    'what a formula names is not removed');
refused($app, 'UPDATE lims.worksheet_field SET formula = ? WHERE organization_id = ?
    AND template_id = ? AND name = ?', [ '1' x 501, $lab->{id}, $template, 'net' ], '23514',
    'a formula has at most 500 characters');
refused($app, 'UPDATE lims.worksheet_field SET decimals = 11 WHERE organization_id = ?
    AND template_id = ? AND name = ?', [ $lab->{id}, $template, 'net' ], '23514',
    'a value has at most 10 decimals');
is($app->do("UPDATE lims.worksheet_field SET formula = 'tare - gross' WHERE organization_id = ?
    AND template_id = ? AND name = 'net'", undef, $lab->{id}, $template), 1,
    'a right formula can replace another');

done_testing();
