/** Code that breaks each rule on purpose; only {@code RulesBiteTest} looks at it. */
@NullMarked
package dev.holdfast.system.architecture.violations;

import org.jspecify.annotations.NullMarked;
