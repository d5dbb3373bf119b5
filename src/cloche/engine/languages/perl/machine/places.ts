/** Where a perl finds what it is made of: its own library, and the modules that come with Cloche. */

export const OWN = "/zeroperl";
export const LIBRARY = "/usr/share/perl5";
