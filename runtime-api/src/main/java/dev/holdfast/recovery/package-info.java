/** The past of objects, for whoever runs the application: history, differences, copies of it. */
@NullMarked
package dev.holdfast.recovery;

import org.jspecify.annotations.NullMarked;
