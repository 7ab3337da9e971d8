/** Man pages and shell completion, made from the options of the verbs. */
@NullMarked
package dev.holdfast.operate.manual;

import org.jspecify.annotations.NullMarked;
