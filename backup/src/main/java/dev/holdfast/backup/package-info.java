/** Online backup: the manifest, the target directory, and the order of the steps. */
@NullMarked
package dev.holdfast.backup;

import org.jspecify.annotations.NullMarked;
