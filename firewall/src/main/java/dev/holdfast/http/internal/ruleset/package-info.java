/** Rulesets of a zone: entry points of phases, their rules and their versions. */
@NullMarked
package dev.holdfast.http.internal.ruleset;

import org.jspecify.annotations.NullMarked;
