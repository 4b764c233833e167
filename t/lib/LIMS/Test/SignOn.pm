# SPDX-License-Identifier: Apache-2.0
package LIMS::Test::SignOn;

=head1 NAME

LIMS::Test::SignOn - people whom httpd knows: a module in front of /app/sign-on, a provider

=head1 SYNOPSIS

    my $lims = LIMS::Test->new(conf => LIMS::Test::SignOn::conf($dir, 'kim')
        . "LimsSignIn both\nLimsSignInOrganizations cedar\n");

=head1 DESCRIPTION

C<conf($dir, @names)> returns directives for mod_auth_basic with users of these names, in a
file of the folder; each has the password of C<secret>. C<provider($dir, @names)> returns
those of an authentication provider C<staff> with the same file. C<users($dir, { name =>
password })> writes the file anew. C<documented($chapter, $what => $by, ...)> returns the
example of a chapter of F<conf/administration.md>, for the test's own organization, with
texts replaced; C<load(@names)> the lines that load modules of httpd.

=cut

use strict;
use warnings;

use Digest::SHA qw(sha1_base64);

use LIMS::Test::Source;

sub secret { return 'tidal ledger quince' }

sub users {
    my ($dir, $password) = @_;

    # Children of httpd that run as somebody else read it.
    chmod 0755, $dir;
    open my $file, '>', "$dir/users" or die "$dir/users: $!\n";
    print {$file} map { "$_:{SHA}" . sha1_base64($password->{$_}) . "=\n" } sort keys %$password;
    close $file;
    chmod 0644, "$dir/users";
    return;
}

sub load {
    chomp(my $modules = `apxs -q LIBEXECDIR`);
    return join '', map { "LoadModule ${_}_module $modules/mod_$_.so\n" } @_;
}

sub documented {
    my ($chapter, %by) = @_;
    my ($lines) = text('conf/administration.md')
        =~ /^### \Q$chapter\E\n.*?^```apache\n(.*?)^```$/ms or die "no chapter $chapter\n";

    for my $what (keys %by) {
        $lines =~ s/\Q$what\E/$by{$what}/ or die "$chapter: no $what\n";
    }
    return $lines =~ s/^LimsSignInOrganizations \Kriverlab$/test-laboratory/mr;
}

sub conf {
    my ($dir, @names) = @_;

    users($dir, { map { $_ => secret() } @names });
    return load(qw(auth_basic authn_file authz_user)) . <<"END";
<Location "/app/sign-on">
    AuthType Basic
    AuthName sign-on
    AuthBasicProvider file
    AuthUserFile "$dir/users"
    Require valid-user
</Location>
LimsSignInTypes Basic
END
}

sub provider {
    my ($dir, @names) = @_;

    users($dir, { map { $_ => secret() } @names });
    return load('authn_file')
        . documented('Signing in by a file', '/etc/mod_lims/staff' => "$dir/users");
}

1;
