/**
 * The rules of ARCHITECTURE.md that a machine can check: dependencies of modules, exports, names,
 * and forbidden calls. {@code violations} contains code that breaks each rule, so that a rule that
 * no longer works is detected.
 */
@NullMarked
package dev.holdfast.system.architecture;

import org.jspecify.annotations.NullMarked;
