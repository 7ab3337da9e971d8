/** Tests of the verbs for operators, as a person or a program calls them. */
@NullMarked
package dev.holdfast.operate;

import org.jspecify.annotations.NullMarked;
