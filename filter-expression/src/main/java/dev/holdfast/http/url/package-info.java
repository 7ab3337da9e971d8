/** URLs of http, https, ws and wss as browsers read and write them. */
@NullMarked
package dev.holdfast.http.url;

import org.jspecify.annotations.NullMarked;
