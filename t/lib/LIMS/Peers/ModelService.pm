# SPDX-License-Identifier: Apache-2.0
package LIMS::Peers::ModelService;

=head1 NAME

LIMS::Peers::ModelService - an HTTPS server in the place of the service of a language model

=head1 SYNOPSIS

    use LIMS::Peers::ModelService;

    my $model = LIMS::Peers::ModelService->new;
    my $lims  = LIMS::Test->new(conf => $model->conf);
    $model->say('right');
    my $answer = $model->upload($lims, "Sample,NO3N (mg/L)\n...", dryRun => 'true');

=head1 DESCRIPTION

An HTTPS server in processes of its own that speaks chat completions (OpenAI's
and Azure's URLs) and messages (Anthropic's), and knows of the service only what
it is sent. What it does with a request is the word that was last said:

    right              finds the values of a table by its header, or by the test's
                       code in the row
    rows JSON          points where it is told, tokens and numbers to the letter
    text TEXT          answers that text, whatever it is
    looks [ROWS,ROWS]  the one of them at the first request since forget, the other
                       at the second, and so on
    repair             the first time nonsense, right the second time
    truncated          half an answer, and says that it was cut off
    refusal            will not
    body TEXT          an HTTP answer with that body and no envelope
    status N           an error
    type TYPE          right, under that Content-Type
    slowly N           right, after so many seconds
    wait               thinks until another word is said, which then counts
    hang close reset endless headers drip gzip junk 302
                       as LIMS::Peers::WebhookReceiver

=head2 Methods

    new(%option)         certificate => 'other': signed by nobody. clients => file:
                         demands a client's certificate that one of these signed
    identity($folder, $name)           a client's own certificate and its key: their files
    conf(%option)        directives: style, output, timeout, more; key of the service
    url($style)
    say($word)
    seen                 the requests so far: path, headers (lower case), body
                         (decoded), data (what stands between the two lines)
    forget               those so far
    upload($lims, $content, %field)    posts a form: file_name, hint, dryRun,
                         confidenceThreshold; headers, key, name of the part
    form(%field)         the bytes of a form, and its Content-Type
    stop

=cut

use strict;
use warnings;

use parent 'LIMS::Peers::WebhookReceiver';

use IO::Socket::SSL qw(SSL_VERIFY_PEER SSL_VERIFY_FAIL_IF_NO_PEER_CERT);
use JSON::PP ();
use LIMS::Instance;
use Time::HiRes qw(sleep);

my $json  = JSON::PP->new->utf8->canonical;
my %paths = (
    openai    => '/v1/chat/completions',
    azure     => '/openai/deployments/gpt/chat/completions?api-version=2024-10-21',
    anthropic => '/v1/messages',
);

sub new {
    my ($class, %option) = @_;
    my $clients = delete $option{clients};

    $option{tls} = { SSL_ca_file => $clients, SSL_verify_mode =>
            SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT } if $clients;
    return $class->SUPER::new(%option);
}

sub identity {
    my ($class, $folder, $name) = @_;
    my @files = map { "$folder/$name.$_" } qw(pem key);

    LIMS::Instance::run('openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt',
        'ec_paramgen_curve:prime256v1', '-nodes', '-subj', "/CN=$name", '-days', '2', '-out',
        $files[0], '-keyout', $files[1]);
    chmod 0600, $files[1];
    return @files;
}

sub url { return "https://localhost:$_[0]{port}" . $paths{ $_[1] || 'openai' } }

sub conf {
    my ($self, %option) = @_;
    my $style = $option{style} || 'openai';
    my $file  = "$self->{folder}/model.key";

    open my $out, '>', $file or die "$file: $!\n";
    print {$out} "sk-stand-in\n";
    close $out;
    chmod 0600, $file;
    my %directive = (
        Url              => $self->url($style),
        Style            => $style,
        KeyFile          => $file,
        CAFile           => LIMS::Instance::ca_file(),
        StructuredOutput => $option{output} || 'json_schema',
        Timeout          => $option{timeout} || 20000,
        $style eq 'azure' ? () : (Model => 'stand-in-1'),
        %{ $option{more} || {} },
    );
    return "LimsRateLimit 5000\nLimsRateKeys 256\nLimsRateLimitUploads 5000\n"
        . join '', map { "LimsExtraction$_ $directive{$_}\n" } grep { defined $directive{$_} }
        sort keys %directive;
}

sub say {
    my ($self, $word) = @_;
    return $self->SUPER::say('word', $word);
}

sub forget {
    my ($self) = @_;
    unlink "$self->{folder}/seen", "$self->{folder}/asked";
    return;
}

sub seen {
    my ($self) = @_;
    my @requests = $self->SUPER::seen;

    for my $request (@requests) {
        utf8::encode(my $bytes = $request->{body});
        $request->{sent} = $bytes;
        $request->{body} = $json->decode($bytes);
        $request->{data} = _data($request->{body});
    }
    return @requests;
}

# --- Sending a file ----------------------------------------------------------

sub form {
    my ($class, %part) = @_;
    my $boundary = 'x' . join '', map { int rand 10 } 1 .. 30;
    my $bytes    = '';

    for my $name (sort keys %part) {
        my ($content, $file) = ref $part{$name} ? @{ $part{$name} } : ($part{$name});
        $bytes .= qq(--$boundary\r\nContent-Disposition: form-data; name="$name")
            . (defined $file ? qq(; filename="$file"\r\nContent-Type: application/octet-stream) : '')
            . "\r\n\r\n$content\r\n";
    }
    return ("$bytes--$boundary--\r\n", "multipart/form-data; boundary=$boundary");
}

sub upload {
    my ($self, $lims, $content, %field) = @_;
    my $name    = delete $field{file_name} // 'run.csv';
    my %option  = (exists $field{key} ? (key => delete $field{key}) : ());
    my $headers = delete $field{headers} || {};
    my ($bytes, $type) = $self->form(%field, file => [ $content, $name ]);

    return $lims->post('/instrument-uploads', $bytes, %option,
        headers => { 'Content-Type' => $type, %$headers });
}

# --- The server --------------------------------------------------------------

sub _data {
    my ($body) = @_;
    my ($user) = grep { $_->{role} eq 'user' } @{ $body->{messages} };

    return $user && $user->{content} =~ /\ADATA (\S+)\n(.*)^DATA \1\n\z/ms ? $2 : undef;
}

sub _answer {
    my ($self, $tls, $socket, $request) = @_;
    my ($word, $rest) = $self->_said;

    while ($word eq 'wait') {
        sleep 0.02;
        ($word, $rest) = $self->_said;
    }
    return $self->_act($word, $tls, $socket, $request)
        if $word =~ /\A(?:hang|close|reset|endless|headers|drip|gzip|junk|302)\z/;
    return _send($tls, $rest, '{"error":{"message":"no"}}') if $word eq 'status';
    return _send($tls, 200, $rest) if $word eq 'body';
    sleep $rest if $word eq 'slowly';
    utf8::encode(my $bytes = $request->{body});
    my $body = $json->decode($bytes);
    my $text = $word eq 'text' ? $rest
        : $word eq 'rows' ? qq({"rows":$rest})
        : $word eq 'looks' ? $self->_look($rest)
        : $word eq 'repair' && @{ $body->{messages} } < 3 ? 'Here you are: {"rows":'
        : $json->encode({ rows => _find(_data($body)) });
    return _send($tls, 200, _envelope($request->{path}, $body, $word, $text),
        $word eq 'type' ? $rest : ());
}

sub _said { return split ' ', $_[0]->_word('word'), 2 }

# The request is noted already.
sub _look {
    my ($self, $rest) = @_;
    my $looks  = $json->decode($rest);
    my $number = () = LIMS::Peers::WebhookReceiver::seen($self);

    return $json->encode({ rows => $looks->[ ($number - 1) % @$looks ] });
}

sub _send {
    my ($tls, $status, $body, $type) = @_;
    $type //= 'application/json';
    my $bytes = "HTTP/1.1 $status Word\r\nContent-Type: $type\r\nContent-Length: "
        . length($body) . "\r\n\r\n$body";

    # A write takes no more than a record of TLS.
    while (length $bytes) {
        my $written = syswrite $tls, $bytes or return;
        substr $bytes, 0, $written, '';
    }
    return 1;
}

sub _envelope {
    my ($path, $body, $word, $text) = @_;
    my $refuses = $word eq 'refusal';
    my $cut     = $word eq 'truncated';
    my $tool    = $body->{tools} && $text =~ /\A\{.*\}\z/s;

    if ($cut) {
        $text = substr $text, 0, length($text) / 2;
        $tool = 0;
    }
    if ($path =~ m{/messages}) {
        return $json->encode({
            type        => 'message',
            stop_reason => $refuses ? 'refusal' : $cut ? 'max_tokens' : $tool ? 'tool_use' : 'end_turn',
            content     => $refuses ? []
                : $tool ? [ { type => 'tool_use', name => 'results', input => $json->decode($text) } ]
                :         [ { type => 'text', text => $text } ],
        });
    }
    return $json->encode({
        choices => [ {
            finish_reason => $cut ? 'length' : $tool ? 'tool_calls' : 'stop',
            message => {
                role => 'assistant',
                content => $refuses || $tool ? undef : $text,
                $refuses ? (refusal => 'I will not.') : (),
                $tool ? (tool_calls => [ { type => 'function',
                            function => { name => 'results', arguments => $text } } ]) : (),
            },
        } ],
    });
}

# Reads the grid as a person would: the sample's token in a row, the test's code in
# the header above the value or beside it.
sub _find {
    my ($data) = @_;
    my (@tests, %grid, @rows, $sheet);

    for my $line (split /\n/, $data // '') {
        if ($line =~ /\A(\d+) (S\d+) ("(?:[^"\\]|\\.)*") /) {
            push @tests, { number => $1, token => $2,
                code => JSON::PP->new->allow_nonref->decode($3) };
        }
        elsif ($line =~ /\ASheet (\d+)/) {
            $sheet = $1;
        }
        elsif ($line =~ /\AR(\d+)/) {
            my $row = $1;
            while ($line =~ /C(\d+)=("(?:[^"\\]|\\.)*")/g) {
                $grid{$sheet}{$row}{$1} = JSON::PP->new->allow_nonref->decode($2);
            }
        }
    }
    for my $s (sort keys %grid) {
        for my $r (sort { $a <=> $b } keys %{ $grid{$s} }) {
            push @rows, map { { %$_, sheet => 0 + $s } } _find_in_row($grid{$s}, $r, \@tests);
        }
    }
    return \@rows;
}

sub _find_in_row {
    my ($grid, $r, $tests) = @_;
    my $row = $grid->{$r};
    my ($id) = grep { $row->{$_} =~ /\bS\d+\b/ } sort { $a <=> $b } keys %$row or return;
    my ($token) = $row->{$id} =~ /\b(S\d+)\b/;
    my ($unit) = grep { $row->{$_} =~ m{\A(?:mg|ug)/L\z} } keys %$row;
    my @found;

    for my $test (grep { $_->{token} eq $token } @$tests) {
        my ($value) = grep { _names($row->{$_}, $test) } sort keys %$row;
        my ($header) = grep { _names($grid->{1}{$_} // '', $test) } sort keys %{ $grid->{1} || {} };

        ($value) = grep { ($grid->{1}{$_} // '') eq 'Result' } keys %$row if defined $value;
        $value //= $header;
        next unless defined $value && defined $row->{$value};
        push @found, { idRow => 0 + $r, idColumn => 0 + $id, candidate => 0 + $test->{number},
            valueRow => 0 + $r, valueColumn => 0 + $value,
            unitRow => defined $unit ? 0 + $r : undef, unitColumn => defined $unit ? 0 + $unit : undef,
            qualifierRow => undef, qualifierColumn => undef, kind => 'sample' };
    }
    return @found;
}

sub _names {
    my ($text, $test) = @_;
    return $text =~ /\A\Q$test->{code}\E(?: |\z)/;
}

1;
