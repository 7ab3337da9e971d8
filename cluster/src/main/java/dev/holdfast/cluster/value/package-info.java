/** Arguments, results and failures of calls as bytes, read as the types that methods declare. */
@NullMarked
package dev.holdfast.cluster.value;

import org.jspecify.annotations.NullMarked;
