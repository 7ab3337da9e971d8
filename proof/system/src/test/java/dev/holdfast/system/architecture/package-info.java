/**
 * The rules of ARCHITECTURE.md that a machine can check: which module sees which, what is exported,
 * what is called how, and what no code may touch. {@code violations} holds code that breaks each
 * rule, so that a rule which has stopped working is noticed.
 */
@NullMarked
package dev.holdfast.system.architecture;

import org.jspecify.annotations.NullMarked;
