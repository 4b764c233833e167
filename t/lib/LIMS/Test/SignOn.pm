# SPDX-License-Identifier: Apache-2.0
package LIMS::Test::SignOn;

=head1 NAME

LIMS::Test::SignOn - an authentication module of httpd in front of /app/sign-on

=head1 SYNOPSIS

    my $lims = LIMS::Test->new(conf => LIMS::Test::SignOn::conf($dir, 'kim')
        . "LimsSignIn both\nLimsSignInOrganizations cedar\n");

=head1 DESCRIPTION

C<conf($dir, @names)> returns directives for mod_auth_basic with users of these names, in a
file of the folder; each has the password of C<secret>.

=cut

use strict;
use warnings;

use Digest::SHA qw(sha1_base64);

sub secret { return 'tidal ledger quince' }

sub conf {
    my ($dir, @names) = @_;

    # Children of httpd that run as somebody else read it.
    chmod 0755, $dir;
    open my $file, '>', "$dir/users" or die "$dir/users: $!\n";
    print {$file} map { "$_:{SHA}" . sha1_base64(secret()) . "=\n" } @names;
    close $file;
    chmod 0644, "$dir/users";
    chomp(my $modules = `apxs -q LIBEXECDIR`);
    my $load = join "\n", map { "LoadModule ${_}_module $modules/mod_$_.so" }
        qw(auth_basic authn_file authz_user);
    return <<"END";
$load
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

1;
