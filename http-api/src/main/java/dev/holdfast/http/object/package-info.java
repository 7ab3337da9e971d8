/** The durable objects behind the API and what is passed to them: zones and the accounts. */
@NullMarked
package dev.holdfast.http.object;

import org.jspecify.annotations.NullMarked;
