/** Code that breaks each rule on purpose; only {@code RulesBiteTest} reads it. */
@NullMarked
package dev.holdfast.system.architecture.violations;

import org.jspecify.annotations.NullMarked;
