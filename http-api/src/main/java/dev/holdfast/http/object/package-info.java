/** The durable objects behind the API, and the types passed to them: zones and the accounts. */
@NullMarked
package dev.holdfast.http.object;

import org.jspecify.annotations.NullMarked;
