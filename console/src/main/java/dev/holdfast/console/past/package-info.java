/** What the pages of the past show: time lines, earlier states, and what differs between them. */
@NullMarked
package dev.holdfast.console.past;

import org.jspecify.annotations.NullMarked;
