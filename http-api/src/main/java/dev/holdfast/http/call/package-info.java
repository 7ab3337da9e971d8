/** The zone of the API as a durable object, and the requests and answers that it is passed. */
@NullMarked
package dev.holdfast.http.call;

import org.jspecify.annotations.NullMarked;
