"""GJK and EPA of PhysX's persistent contact manifolds (PCM), in float32."""
