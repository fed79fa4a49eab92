package lower

// BodyByBody is [Text] as far as bodies can be read one by one.
var BodyByBody = bodyByBody
