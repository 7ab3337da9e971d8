/** The answers: the envelope, errors and pages of lists. */
@NullMarked
package dev.holdfast.http.internal.reply;

import org.jspecify.annotations.NullMarked;
