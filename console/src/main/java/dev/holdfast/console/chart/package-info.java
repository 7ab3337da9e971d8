/** The figures of the last hour, for charts. */
@NullMarked
package dev.holdfast.console.chart;

import org.jspecify.annotations.NullMarked;
