/** Tokens, sessions and how often a wrong token may be tried. */
@NullMarked
package dev.holdfast.console.login;

import org.jspecify.annotations.NullMarked;
