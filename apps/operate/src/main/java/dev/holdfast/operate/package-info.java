/** What the verbs for operators share: where the data are, and how an answer is printed. */
@NullMarked
package dev.holdfast.operate;

import org.jspecify.annotations.NullMarked;
