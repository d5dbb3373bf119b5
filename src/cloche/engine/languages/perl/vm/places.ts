/** The folders in which a perl finds its library and the modules that come with Cloche. */

export const OWN = "/zeroperl";
export const LIBRARY = "/usr/share/perl5";
