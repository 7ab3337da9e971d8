/** What the pages about a part of one object show: a key, a table, a statement, what runs. */
@NullMarked
package dev.holdfast.console.object;

import org.jspecify.annotations.NullMarked;
