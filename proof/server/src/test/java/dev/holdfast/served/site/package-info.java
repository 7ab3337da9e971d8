/** The site that is built from the documents, as a reader's browser sees it. */
@NullMarked
package dev.holdfast.served.site;

import org.jspecify.annotations.NullMarked;
